import { useState, type ChangeEvent, type ReactNode } from 'react'
import { fieldProblem } from '#parts/form/use-form.ts'
import { read, withoutSecrets, written, type Draft } from './draft.ts'

type Changed = ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>
type Bound<Value, Given> = { value: Value; onChange: (given: Given) => void; error: ReactNode }

/** An assistant as form state. Fields are named by path (`tools/http/0/name`), as in the service's errors. */
export interface DraftForm {
  draft: Draft
  /** The version last read or saved here. */
  began: Draft
  changed: boolean
  at: (path: string) => unknown
  /** Undefined removes the value. */
  set: (path: string, value: unknown) => void
  reset: (draft: Draft) => void
  /** Makes the sent draft the new base. */
  saved: (sent: Draft) => void
  problem: (path: string) => ReactNode
  /** For TextInput, Textarea, NativeSelect, PasswordInput. `usual`: the default, shown but not sent. */
  text: (path: string, usual?: string) => Bound<string, Changed>
  /** For NumberInput. */
  count: (path: string) => Bound<number | '', number | string>
  /** For TagsInput. */
  words: (path: string) => Bound<string[], string[]>
  /** For Switch and Checkbox. `usual`: the default. */
  tick: (path: string, usual?: boolean) => { checked: boolean; onChange: (event: ChangeEvent<HTMLInputElement>) => void }
  /** For a Switch that adds or removes a group of settings. */
  exists: (path: string) => { checked: boolean; onChange: (event: ChangeEvent<HTMLInputElement>) => void }
}

export const useDraftForm = (initial: Draft, error: unknown): DraftForm => {
  const [draft, setDraft] = useState(initial)
  const [began, setBegan] = useState(initial)
  const at = (path: string): unknown => read(draft, path)
  const set = (path: string, value: unknown): void => setDraft((all) => written(all, path, value))
  const problem = (path: string): ReactNode => fieldProblem(error, `settings/${path}`)
  return {
    draft,
    began,
    changed: JSON.stringify(draft) !== JSON.stringify(began),
    at,
    set,
    reset: (to) => {
      setDraft(to)
      setBegan(to)
    },
    saved: (sent) => {
      setBegan(withoutSecrets(sent))
      // Keeps text typed since then.
      setDraft((all) => (all === sent ? withoutSecrets(sent) : all))
    },
    problem,
    text: (path, usual = '') => ({
      value: (at(path) as string | undefined | null) ?? usual,
      onChange: ({ currentTarget: { value } }) => set(path, value === '' && path !== 'prompt' && path !== 'greeting' ? undefined : value),
      error: problem(path),
    }),
    count: (path) => ({
      value: (at(path) as number | undefined) ?? '',
      onChange: (value) => set(path, value === '' ? undefined : Number(value)),
      error: problem(path),
    }),
    words: (path) => ({
      value: (at(path) as string[] | undefined) ?? [],
      onChange: (value) => set(path, value.length === 0 ? undefined : value),
      error: problem(path),
    }),
    tick: (path, usual = false) => ({
      checked: (at(path) as boolean | undefined) ?? usual,
      onChange: ({ currentTarget: { checked } }) => set(path, checked === usual ? undefined : checked),
    }),
    exists: (path) => ({
      checked: at(path) !== undefined,
      onChange: ({ currentTarget: { checked } }) => set(path, checked ? {} : undefined),
    }),
  }
}

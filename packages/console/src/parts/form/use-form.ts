import { createElement, useState, type ChangeEvent, type ReactNode } from 'react'
import { ApiError } from '#api/client.ts'
import { useLanguage } from '#words/use-text.tsx'
import { fieldWords } from './field-words.ts'

type Names<Values, Of> = { [Name in keyof Values]: Values[Name] extends Of ? Name : never }[keyof Values] & string
type Changed = ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>

export interface Form<Values> {
  values: Values
  set: <Name extends keyof Values>(name: Name, value: Values[Name]) => void
  reset: (values?: Values) => void
  /** Differs from the initial values. */
  changed: boolean
  /** Spread into TextInput, Textarea, NativeSelect, PasswordInput. */
  text(name: Names<Values, string>): { value: string; onChange: (event: Changed) => void; error: ReactNode }
  /** Spread into Switch and Checkbox. */
  tick(name: Names<Values, boolean>): {
    checked: boolean
    onChange: (event: ChangeEvent<HTMLInputElement>) => void
    error: ReactNode
  }
  /** Spread into NumberInput, Select, SegmentedControl and others that pass the value itself. */
  value<Name extends keyof Values & string>(
    name: Name,
  ): { value: Values[Name]; onChange: (value: Values[Name] | string | null) => void; error: ReactNode }
}

/** State of a form. Field errors of the service (`details`) appear at the field of that name. */
export const useForm = <Values extends object>(initial: Values, error?: unknown): Form<Values> => {
  const [values, setValues] = useState(initial)
  const [began, setBegan] = useState(initial)
  const set = <Name extends keyof Values>(name: Name, value: Values[Name]): void => setValues((all) => ({ ...all, [name]: value }))
  const put = (name: string, value: unknown): void => setValues((all) => ({ ...all, [name]: value }))
  const errorOf = (name: string): ReactNode => fieldProblem(error, name)
  return {
    values,
    set,
    reset: (to = initial) => {
      setValues(to)
      setBegan(to)
    },
    changed: JSON.stringify(values) !== JSON.stringify(began),
    text: (name) => ({ value: values[name] as string, onChange: (event) => put(name, event.currentTarget.value), error: errorOf(name) }),
    tick: (name) => ({
      checked: values[name] as boolean,
      onChange: (event) => put(name, event.currentTarget.checked),
      error: errorOf(name),
    }),
    value: (name) => ({ value: values[name], onChange: (value) => put(name, value), error: errorOf(name) }),
  }
}

/** Errors shown at a field are not repeated below the form. */
const atFields = new WeakMap<ApiError, Set<string>>()

/** The service's error for one field. `address` also includes errors of `address/street`. */
export const fieldProblem = (error: unknown, name: string): ReactNode => {
  if (!(error instanceof ApiError)) return undefined
  const found = error.body.details?.find(({ field }) => field === name || field.startsWith(`${name}/`))
  if (found === undefined) return undefined
  atFields.set(error, (atFields.get(error) ?? new Set<string>()).add(found.field))
  return createElement(FieldProblem, found)
}

const FieldProblem = ({ problem }: { problem: string }) => fieldWords(problem, useLanguage().language)

/** Errors not shown at a field. */
export const otherProblems = (error: ApiError): { field: string; problem: string }[] =>
  (error.body.details ?? []).filter(({ field }) => !atFields.get(error)?.has(field))

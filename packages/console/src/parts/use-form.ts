import { useState, type ChangeEvent } from 'react'
import { ApiError } from '../api/client.ts'

type Names<Values, Of> = { [Name in keyof Values]: Values[Name] extends Of ? Name : never }[keyof Values] & string
type Changed = ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>

export interface Form<Values> {
  values: Values
  set: <Name extends keyof Values>(name: Name, value: Values[Name]) => void
  reset: (values?: Values) => void
  /** Something differs from what it began with. */
  changed: boolean
  /** Spread into TextInput, Textarea, NativeSelect, PasswordInput. */
  text(name: Names<Values, string>): { value: string; onChange: (event: Changed) => void; error: string | undefined }
  /** Spread into Switch and Checkbox. */
  tick(name: Names<Values, boolean>): {
    checked: boolean
    onChange: (event: ChangeEvent<HTMLInputElement>) => void
    error: string | undefined
  }
  /** Spread into NumberInput, Select, SegmentedControl and others that hand over the value itself. */
  value<Name extends keyof Values & string>(
    name: Name,
  ): { value: Values[Name]; onChange: (value: Values[Name] | string | null) => void; error: string | undefined }
}

/** The state of a form. What the service says about a field (`details` of its error) stands at the field of that name. */
export const useForm = <Values extends object>(initial: Values, error?: unknown): Form<Values> => {
  const [values, setValues] = useState(initial)
  const [began, setBegan] = useState(initial)
  const set = <Name extends keyof Values>(name: Name, value: Values[Name]): void => setValues((all) => ({ ...all, [name]: value }))
  const put = (name: string, value: unknown): void => setValues((all) => ({ ...all, [name]: value }))
  const errorOf = (name: string): string | undefined => fieldProblem(error, name)
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

/** What the service found wrong with one field. `address` also takes what is said about `address/street`. */
export const fieldProblem = (error: unknown, name: string): string | undefined =>
  error instanceof ApiError ? error.body.details?.find(({ field }) => field === name || field.startsWith(`${name}/`))?.problem : undefined

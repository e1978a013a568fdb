import { parseBoundedJson } from '@offhook/contract/bounded-json.ts'
import { Errors } from 'typebox/schema'

/** Enough for a model to retry. */
const maxProblems = 5

/** Parses the model's tool arguments; undefined if they are not a JSON object. */
export const argumentsOf = (text: string): Record<string, unknown> | undefined => {
  try {
    const value = parseBoundedJson(text.trim() === '' ? '{}' : text)
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** JSON Schema violations as text; undefined if valid. An unreadable schema rejects everything. */
export const problemsOf = (schema: object, value: unknown): string | undefined => {
  try {
    const [fits, errors] = Errors({ ...schema }, value)
    if (fits) return undefined
    const problems = errors.map(({ instancePath, message }) => `${instancePath.slice(1) || 'it'} ${message}`)
    return problems.slice(0, maxProblems).join('; ')
  } catch (error) {
    return `the schema cannot be used (${(error as Error).message})`
  }
}

import { Errors } from 'typebox/schema'

/** Enough for a model to try again. */
const maxProblems = 5

/** What a model wrote as the arguments of a tool; undefined: it is no JSON object. */
export const argumentsOf = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** What does not fit a JSON Schema, in words; undefined: it fits. A schema that cannot be read fits nothing. */
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

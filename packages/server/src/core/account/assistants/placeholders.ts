import { Problem } from '@offhook/contract/problem.ts'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import { unknownPlaceholders } from '@offhook/contract/v3/placeholders.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Names that an assistant may use: those with a default at the flow or at one of its numbers. */
export const variableNames = async (tables: Tables, { id, settings }: Flow, accountId: string): Promise<string[]> => {
  const numbers = await tables.numbers.listByFlow(accountId, id)
  const defaults = [settings.variables, ...numbers.map(({ variables }) => variables)]
  return [...new Set(defaults.flatMap((variables = {}) => Object.keys(variables)))]
}

const advice = (name: string): string =>
  `{{${name}}} is unknown: add the variable ${name} to the variables of the flow, with a default or an empty text`

export const requireKnownPlaceholders = (settings: AssistantSettings, known: readonly string[]): void => {
  const [first] = unknownPlaceholders(settings, known)
  if (first) throw Problem.field(first.field, `has a placeholder that nobody can fill: ${advice(first.name)}`)
}

export const placeholderWarnings = (settings: AssistantSettings, known: readonly string[]): string[] =>
  unknownPlaceholders(settings, known).map(({ name, field }) => `${field}: ${advice(name)}. It cannot be published before.`)

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Scenario } from '@offhook/contract/assistant/scenario.ts'
import type { Endpoint } from '@offhook/sdk/simulate/endpoint-line.ts'
import { Mistake } from '../terminal/mistake.ts'

export type OpenEndpoint = (scenario: Scenario) => Promise<Endpoint<unknown>>

/** The assistant that a file exports: `live()` or `assistant()`, or a function that makes one for a scenario. */
export const openModule = async (file: string): Promise<OpenEndpoint> => {
  const found = await importOf(file)
  const exported = found['default'] ?? found['bot'] ?? Object.values(found).find(isEndpoint)
  if (isEndpoint(exported)) return async () => exported
  if (typeof exported !== 'function')
    throw new Mistake(2, `${file} exports no assistant: live(…) or assistant(…) as default, or a function that gives one`)
  return async (scenario) => {
    const made: unknown = await (exported as (scenario: Scenario) => unknown)(scenario)
    if (!isEndpoint(made)) throw new Mistake(2, `What ${file} makes for “${scenario.name}” is no assistant: it has no connect()`)
    return made
  }
}

const importOf = async (file: string): Promise<Record<string, unknown>> => {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>
  } catch (error) {
    throw new Mistake(2, `${file} cannot be loaded: ${(error as Error).message}`)
  }
}

const isEndpoint = (value: unknown): value is Endpoint<unknown> => typeof (value as Partial<Endpoint> | undefined)?.connect === 'function'

import { glob, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Scenario } from '@offhook/contract/assistant/scenario.ts'
import { readScenario, ScenarioRefused } from '@offhook/sdk/scenarios/read-scenario.ts'
import { Mistake } from '../terminal/mistake.ts'

export interface FoundScenario {
  scenario: Scenario
  /** Undefined: stored with the flow. */
  file?: string
}

const pattern = '**/*.scenario.{yaml,yml,json}'
const skipped = /(^|[\\/])(node_modules|\.[^\\/.][^\\/]*)([\\/]|$)/

/** Reads these files, and all below these folders. Reports all their errors together. */
export const findScenarios = async (given: readonly string[]): Promise<FoundScenario[]> => {
  const files = (await Promise.all(given.map(filesOf))).flat()
  const problems: string[] = []
  const found: FoundScenario[] = []
  for (const file of [...new Set(files)].toSorted()) {
    try {
      found.push({ file, scenario: readScenario(await readFile(file, 'utf8'), file) })
    } catch (error) {
      if (!(error instanceof ScenarioRefused)) throw error
      problems.push(error.message)
    }
  }
  if (problems.length > 0) throw new Mistake(2, problems.join('\n'))
  return found
}

const filesOf = async (path: string): Promise<string[]> => {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw new Mistake(2, `There is no ${path}.`)
  if (!found.isDirectory()) return [path]
  const files: string[] = []
  for await (const file of glob(pattern, { cwd: path, exclude: (name) => skipped.test(name) })) files.push(relative('.', join(path, file)))
  return files
}

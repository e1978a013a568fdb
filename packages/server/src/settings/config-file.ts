import { readFileSync, statSync } from 'node:fs'
import { parseEnv } from 'node:util'

/** Values of an env file with their lines. */
export interface ConfigFile {
  path: string
  entries: Map<string, { text: string; line: number }>
  mistakes: string[]
  /** Whether every user of this machine can read it. */
  isOpen: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** The file of `--config` or OFFHOOK_CONFIG. An unreadable file is an error like those in it. */
export const configFileOf = ({ OFFHOOK_CONFIG: path }: Environment): ConfigFile | undefined => {
  if (path === undefined || path === '') return undefined
  try {
    return parseConfig(path, readFileSync(path, 'utf8'), (statSync(path).mode & 0o004) !== 0)
  } catch (error) {
    return { path, entries: new Map(), mistakes: [`The configuration file cannot be read: ${(error as Error).message}`], isOpen: false }
  }
}

/** For commands that need a few values without validation. The environment takes precedence. */
export const environmentWithFile = (environment: Environment): Record<string, string | undefined> => {
  const entries = configFileOf(environment)?.entries ?? new Map<string, { text: string }>()
  return { ...Object.fromEntries(Array.from(entries, ([name, { text }]) => [name, text])), ...environment }
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/

/** Node parses the values without their line numbers, so those are determined here. */
const parseConfig = (path: string, text: string, isOpen: boolean): ConfigFile => {
  const values = parseEnv(text)
  const lines = text.split(/\r?\n/)
  const file: ConfigFile = { path, entries: new Map(), mistakes: [], isOpen }
  for (let index = 0; index < lines.length; index++) {
    const [line = '', at] = [lines[index], index + 1]
    if (/^\s*(#|$)/.test(line)) continue
    const [, name, rest = ''] = assignment.exec(line) ?? []
    const value = name === undefined ? undefined : values[name]
    if (name === undefined || value === undefined) file.mistakes.push(`${path}:${at} is neither NAME=value nor a comment`)
    else {
      const before = file.entries.get(name)
      if (before) file.mistakes.push(`${path}:${at} says ${name} again; line ${before.line} did`)
      file.entries.set(name, { text: value, line: at })
    }
    index = endOfValue(lines, index, rest)
  }
  return file
}

/** A quoted value may span several lines. */
const endOfValue = (lines: readonly string[], index: number, rest: string): number => {
  const [quote = ''] = rest
  if (!['"', "'", '`'].includes(quote) || rest.indexOf(quote, 1) !== -1) return index
  const end = lines.findIndex((line, at) => at > index && line.includes(quote))
  return end === -1 ? index : end
}

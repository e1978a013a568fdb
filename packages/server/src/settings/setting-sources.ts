import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { configFileOf, type ConfigFile } from './config-file.ts'
import { settingsSchema } from './settings-schema.ts'

/** Levenshtein distance. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of one.split('').entries()) {
    const next = [index + 1]
    for (let at = 1; at <= other.length; at++)
      next.push(Math.min((row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, (row[at - 1] ?? 0) + (letter === other[at - 1] ? 0 : 1)))
    row = next
  }
  return row[other.length] ?? 0
}

/** The name that was probably meant; undefined when none is close. */
const nearestName = (given: string, names: readonly string[], max = 3): string | undefined => {
  const [best] = names.map((name) => ({ name, far: distance(given.toUpperCase(), name) })).toSorted((a, b) => a.far - b.far)
  return best !== undefined && best.far <= max ? best.name : undefined
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Source of a setting. */
export interface Source {
  kind: 'default' | 'environment' | 'file' | 'secret file' | 'credential'
  /** `file:line`, or the file with the secret. */
  where?: string
}

interface Said {
  text: string
  source: Source
}

interface Gathered {
  /** Only settings that are not left to their default. */
  said: Map<string, Said>
  mistakes: string[]
  warnings: string[]
}

const isSecret = (name: string): boolean => (settingsSchema as Record<string, { secret?: unknown }>)[name]?.secret !== undefined

const names = Object.keys(settingsSchema)
/** `NAME_FILE` is the path of the secret's file. */
const fileNames = names.filter(isSecret).map((name) => `${name}_FILE`)
/** Variables that only commands read, not the service. */
const ofCommands = ['OFFHOOK_TOKEN', 'OFFHOOK_OPERATOR_TOKEN', 'OFFHOOK_URL', 'OFFHOOK_CONFIG']
const known = new Set([...names, ...fileNames, ...ofCommands])

/** Variables that Kubernetes sets in every container for a service named offhook. */
const ofKubernetes = /^OFFHOOK_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$/

/** Collects the settings: the environment first, then the file, then systemd's credentials. Checks only names and files. */
export const gatherSettings = (environment: Environment): Gathered => {
  const file = configFileOf(environment)
  const gathered: Gathered = { said: new Map(), mistakes: [...(file?.mistakes ?? [])], warnings: [] }
  noteUnknown(environment, file, gathered)
  for (const name of names) {
    const said =
      fromEnvironment(name, environment, gathered) ?? fromFile(name, file, gathered) ?? fromCredential(name, environment, gathered)
    if (said) gathered.said.set(name, said)
  }
  const secrets = file ? [...file.entries.keys()].filter(isSecret) : []
  if (file?.isOpen && secrets.length > 0)
    gathered.warnings.push(`others on this machine can read ${file.path}, which says ${secrets.join(', ')}: chmod 640 ${file.path}`)
  return gathered
}

/** A misspelt name would silently leave the default in force: in our own file it is rejected. */
const noteUnknown = (environment: Environment, file: ConfigFile | undefined, { mistakes, warnings }: Gathered): void => {
  for (const name of Object.keys(environment))
    if (name.startsWith('OFFHOOK_') && !known.has(name) && !ofKubernetes.test(name))
      warnings.push(`${name} is not a setting and has no effect; is it misspelt?${meant(name)}`)
  for (const [name, { line }] of file?.entries ?? []) {
    const isOurs = name.startsWith('OFFHOOK_') || nearestName(name, names, 1) !== undefined
    if (isOurs && (!known.has(name) || name === 'OFFHOOK_CONFIG'))
      mistakes.push(`${name} is not a setting (${file?.path}:${line}).${meant(name)}`)
  }
}

const meant = (name: string): string => {
  const nearest = nearestName(name, [...names, ...fileNames])
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`
}

const fromEnvironment = (name: string, environment: Environment, gathered: Gathered): Said | undefined =>
  either(name, { value: environment[name], file: environment[`${name}_FILE`], source: { kind: 'environment' }, place: '' }, gathered)

const fromFile = (name: string, file: ConfigFile | undefined, gathered: Gathered): Said | undefined => {
  const [entry, secret] = [file?.entries.get(name), file?.entries.get(`${name}_FILE`)]
  if (!file || (!entry && !secret)) return undefined
  const where = `${file.path}:${(entry ?? secret)?.line}`
  return either(name, { value: entry?.text, file: secret?.text, source: { kind: 'file', where }, place: ` (${where})` }, gathered)
}

interface Place {
  value: string | undefined
  /** Value of NAME_FILE in this source. */
  file: string | undefined
  source: Source
  place: string
}

const either = (name: string, { value, file, source, place }: Place, gathered: Gathered): Said | undefined => {
  if (!isSecret(name) || file === undefined || file === '') return value === undefined ? undefined : { text: value, source }
  if (value !== undefined && value !== '') {
    gathered.mistakes.push(`${name} and ${name}_FILE are both set${place}: only one of them can count.`)
    return undefined
  }
  return secretIn(file, `${name}_FILE${place}`, { kind: 'secret file', where: file }, gathered)
}

/** systemd's LoadCredential= and SetCredential= put files there that only the unit can read. */
const fromCredential = (name: string, { CREDENTIALS_DIRECTORY: folder }: Environment, gathered: Gathered): Said | undefined => {
  if (!isSecret(name) || folder === undefined || folder === '') return undefined
  const file = join(folder, name)
  return existsSync(file) ? secretIn(file, `The credential ${name}`, { kind: 'credential', where: file }, gathered) : undefined
}

/** Docker mounts secrets there readable for every user of the container, which is only us. */
const ofContainers = '/run/secrets/'

const secretIn = (file: string, what: string, source: Source, { mistakes, warnings }: Gathered): Said | undefined => {
  try {
    const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
    if (text === '') mistakes.push(`${what} names ${file}, which is empty.`)
    if (source.kind === 'secret file' && !file.startsWith(ofContainers) && (statSync(file).mode & 0o004) !== 0)
      warnings.push(`others on this machine can read ${file} (${what}): chmod 640 ${file}`)
    return { text, source }
  } catch (error) {
    mistakes.push(`${what} names a file that cannot be read: ${(error as Error).message}`)
    return undefined
  }
}

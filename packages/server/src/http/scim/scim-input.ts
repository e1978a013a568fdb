import { Problem } from '@offhook/contract/problem.ts'
import type { GroupChange, UserChange } from '#core/account/accounts/directory.ts'

/** Rejected request, with the detail type of RFC 7644 §3.12. */
export class ScimProblem extends Error {
  readonly scimType: 'invalidFilter' | 'invalidSyntax' | 'invalidPath' | 'invalidValue'

  constructor(scimType: ScimProblem['scimType'], message: string) {
    super(message)
    this.scimType = scimType
  }
}

type Json = Record<string, unknown>

const objectOf = (value: unknown): Json => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ScimProblem('invalidSyntax', 'An object is expected.')
  return value as Json
}

const maxText = 255

const textOf = (name: string, value: unknown): string => {
  if (typeof value !== 'string' || value.length > maxText || /\p{Cc}/u.test(value))
    throw new ScimProblem('invalidValue', `${name} must be a text of at most ${maxText} characters.`)
  return value
}

/** Some providers send booleans as text. */
const flagOf = (value: unknown): boolean => {
  const flag = typeof value === 'string' ? value.toLowerCase() : value
  if (flag === true || flag === 'true') return true
  if (flag === false || flag === 'false') return false
  throw new ScimProblem('invalidValue', 'active must be true or false.')
}

/** Condition `attribute eq "value"`, which is the only one (RFC 7644 §3.4.2.2). Names of attributes are case-insensitive. */
export const filterOf = (text: string): { attribute: string; value: string } => {
  const [, attribute = '', value] =
    /^\s*([\w:.]+(?:\[type eq "\w+"\]\.value)?)\s+eq\s+"((?:[^"\\]|\\["\\])*)"\s*$/i.exec(text.slice(0, 500)) ?? []
  if (value === undefined) throw new ScimProblem('invalidFilter', 'Only filters of the form attribute eq "value" are known.')
  return { attribute: bare(attribute).toLowerCase(), value: value.replaceAll(/\\(.)/g, '$1') }
}

/** Without the schema, as `urn:ietf:params:scim:schemas:core:2.0:User:userName`. */
const bare = (path: string): string => path.replace(/^urn:[\w:.]+:(?=\w+[\w.]*$)/i, '')

/** Attributes that are not kept are ignored, as providers send many. */
const userAttribute = (path: string, value: unknown): UserChange => {
  const name = bare(path).toLowerCase()
  if (name === 'username') return { email: textOf('userName', value) }
  if (name === 'externalid') return { externalId: value === null ? undefined : textOf('externalId', value) }
  if (name === 'active') return { active: flagOf(value) }
  if (name === 'name.givenname') return { firstname: textOf('name.givenName', value ?? '').slice(0, 100) }
  if (name === 'name.familyname') return { lastname: textOf('name.familyName', value ?? '').slice(0, 100) }
  if (name === 'name') return merged(Object.entries(objectOf(value ?? {})).map(([part, text]) => userAttribute(`name.${part}`, text)))
  return {}
}

const merged = <T extends object>(changes: readonly T[]): T => Object.assign({}, ...changes) as T

/** A whole user. Missing attributes get their defaults (RFC 7644 §3.5.1). */
export const readUser = (body: unknown): UserChange => {
  const fields = Object.entries(objectOf(body))
  const user = merged(fields.map(([name, value]) => userAttribute(name, value)))
  if (user.email === undefined) throw new ScimProblem('invalidValue', 'userName is required.')
  return { firstname: '', lastname: '', active: true, externalId: undefined, ...user }
}

interface PatchStep {
  op: 'add' | 'replace' | 'remove'
  path: string
  value: unknown
}

const maxSteps = 100

const stepsOf = (body: unknown): PatchStep[] => {
  const { Operations: operations } = objectOf(body)
  if (!Array.isArray(operations) || operations.length > maxSteps)
    throw new ScimProblem('invalidSyntax', `Operations must be a list of at most ${maxSteps}.`)
  return operations.flatMap((one): PatchStep[] => {
    const { op, path, value } = objectOf(one)
    const kind = String(op).toLowerCase()
    if (kind !== 'add' && kind !== 'replace' && kind !== 'remove')
      throw new ScimProblem('invalidSyntax', 'op must be add, replace or remove.')
    if (path !== undefined) return [{ op: kind, path: textOf('path', path), value }]
    if (kind === 'remove') throw new ScimProblem('invalidPath', 'remove needs a path.')
    return Object.entries(objectOf(value)).map(([name, part]) => ({ op: kind, path: name, value: part }))
  })
}

export const readUserPatch = (body: unknown): UserChange =>
  merged(stepsOf(body).map(({ op, path, value }) => userAttribute(path, op === 'remove' ? null : value)))

const membersOf = (value: unknown): string[] => [value].flat().map((member) => textOf('members', objectOf(member).value))

export const readGroup = (body: unknown): GroupChange & { name: string } => {
  const { displayName, externalId, members = [] } = objectOf(body)
  return {
    name: nameOf(displayName),
    externalId: externalId === undefined || externalId === null ? undefined : textOf('externalId', externalId),
    members: membersOf(members),
  }
}

const nameOf = (value: unknown): string => {
  const name = textOf('displayName', value)
  if (name.trim() === '') throw new ScimProblem('invalidValue', 'displayName is required.')
  return name
}

/** Steps are carried out in their order. */
export const readGroupPatch = (body: unknown): ((before: { members: readonly string[] }) => GroupChange) => {
  const steps = stepsOf(body)
  return ({ members: before }) => {
    const change: GroupChange = {}
    let members = [...before]
    for (const { op, path, value } of steps) {
      const name = bare(path).toLowerCase()
      const [, one] = /^members\[value eq "([^"]+)"\]$/i.exec(path) ?? []
      if (name === 'displayname') change.name = nameOf(value)
      else if (name === 'externalid') change.externalId = op === 'remove' ? undefined : textOf('externalId', value)
      else if (one !== undefined && op === 'remove') members = members.filter((member) => member !== one)
      else if (name === 'members') members = nextMembers(members, op, value)
      else if (name !== 'id') throw new ScimProblem('invalidPath', `A group has no ${path.slice(0, 50)} that can be changed.`)
    }
    return { ...change, members }
  }
}

const nextMembers = (members: readonly string[], op: PatchStep['op'], value: unknown): string[] => {
  if (op === 'replace') return membersOf(value ?? [])
  if (op === 'add') return [...members, ...membersOf(value)]
  const gone = value === undefined ? members : membersOf(value)
  return members.filter((member) => !gone.includes(member))
}

const maxCount = 200

/** 1-based index and size of a page. */
export const pageOf = ({
  startIndex = '1',
  count = String(maxCount),
}: Record<string, string | undefined>): { start: number; count: number } => {
  const [start, size] = [Number(startIndex), Number(count)]
  if (!Number.isInteger(start) || !Number.isInteger(size))
    throw new Problem('parameter_invalid', 'startIndex and count must be whole numbers.')
  return { start: Math.max(1, start), count: Math.min(maxCount, Math.max(0, size)) }
}

import type { Operation } from '../operation.ts'

/** Where an operation stands in the reference: its area is the first literal segment of its path after the version, as with its file. */
export const tagOf = ({ path }: Pick<Operation, 'path'>): string => {
  const [first = '', ...rest] = path.split('/').slice(1)
  const [version, ...behind] = first === 'operator' || first === 'carrier' ? [`${first}/${rest[0]}`, ...rest.slice(1)] : [first, ...rest]
  const area = behind.find((segment) => segment !== '' && !segment.startsWith('{'))
  return /v\d$/.test(version) ? `${version}/${area ?? 'index'}` : 'login'
}

/** In the order in which a new developer needs them. */
const groups: [name: string, begins: string][] = [
  ['Assistants', 'v3/'],
  ['Calls and history', 'v2/'],
  ['Account', 'v1/'],
  ['Log in', 'login'],
  ['Operator', 'operator/'],
  ['Other carriers', 'carrier/'],
]

export const tagsOf = (operations: readonly Operation[]) => {
  const names = [...new Set(operations.map(tagOf))]
  return {
    tags: names.map((name) => ({ name, 'x-displayName': name.split('/').at(-1) })),
    'x-tagGroups': groups.map(([name, begins]) => ({ name, tags: names.filter((tag) => tag.startsWith(begins)) })),
  }
}

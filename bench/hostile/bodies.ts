import { operations, type Operation } from '@offhook/contract'
import { exampleBody, otherIds, textFields, userOperations } from '../../test/isolation/examples.ts'
import type { Entry } from './entry.ts'
import type { Service } from './service.ts'
import { jsonShapes } from './shapes.ts'

const defaultLimit = 64 * 1024

/** Bodies of maximum size for every operation: of every shape, and valid ones with every text at its maximum length. */
export function* bodyEntries(service: Service): Generator<Entry> {
  const ofOthers = Object.values<Operation>(operations).filter(({ auth }) => auth !== 'user') // operators, carriers, strangers
  const taking = [...userOperations(), ...ofOthers].filter(({ body, form }) => body && !form)
  const [usual, large] = [taking.filter(({ bodyLimit }) => !bodyLimit), taking.filter(({ bodyLimit }) => bodyLimit)]
  yield {
    name: `HTTP body: ${usual.length} operations`,
    bytes: defaultLimit,
    shapes: (function* () {
      for (const operation of usual) yield* shapesOf(service, operation, defaultLimit)
    })(),
  }
  for (const operation of large) {
    const { id, bodyLimit = defaultLimit } = operation
    yield { name: `HTTP body: ${id}`, bytes: bodyLimit, shapes: shapesOf(service, operation, bodyLimit) }
  }
}

/** Shapes for small bodies of many operations. */
const fewShapes = ['deep', 'wide objects', 'many keys', 'repeated escapes']
/** Fragments that texts are built from. */
const pieces = { 'long token': 'x', escapes: '\\"', 'many tokens': 'ä. ' }

function* shapesOf(service: Service, operation: Operation, limit: number): Generator<readonly [string, () => unknown]> {
  const { id, method, auth } = operation
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(service.ids[otherIds[id]?.[name] ?? name] ?? 'none'),
  )
  const token = auth === 'operator' ? service.operatorToken : service.ada.token
  const fed = (shape: string, body: string): readonly [string, () => unknown] => [
    `${id}: ${shape}`,
    () => service.ask({ method, path, body, token }),
  ]
  const isSmall = limit === defaultLimit
  for (const [shape, body] of jsonShapes(limit - 100)) if (!isSmall || fewShapes.includes(shape)) yield fed(shape, body)
  const example = exampleBody(operation, service.ids)
  for (const field of operation.body ? textFields(operation.body) : []) {
    for (const [shape, piece] of Object.entries(pieces).slice(0, isSmall ? 1 : undefined)) {
      const sentBytes = Buffer.byteLength(JSON.stringify(piece)) - 2
      const times = Math.max(1, Math.floor(Math.min((limit - 1_000) / sentBytes, longest(operation.body, field) / piece.length)))
      yield fed(`${field.join('/')} of ${shape}`, JSON.stringify(withText(example, field, piece.repeat(times))))
    }
  }
}

interface Shape {
  anyOf?: Shape[]
  properties?: Record<string, Shape>
  items?: Shape
  maxLength?: number
}

const longest = (shape: Shape | undefined, [name, ...rest]: readonly string[]): number => {
  if (shape?.anyOf) return Math.max(...shape.anyOf.map((one) => longest(one, name === undefined ? [] : [name, ...rest])))
  if (name === undefined) return shape?.maxLength ?? Infinity
  const inner = name === '0' ? shape?.items : shape?.properties?.[name]
  return inner ? longest(inner, rest) : 0
}

const withText = (body: unknown, [name, ...rest]: readonly string[], text: string): unknown => {
  if (name === undefined) return text
  const at = body !== null && typeof body === 'object' ? body : {}
  if (name === '0') return [withText((at as unknown[])[0], rest, text)]
  return { ...at, [name]: withText((at as Record<string, unknown>)[name], rest, text) }
}

import { resolved, type Document, type Schema } from './document.ts'

/** Direction of the value: values that a client sends must stay valid, values that it reads must stay present. */
export type Direction = 'request' | 'response'

export interface Documents {
  before: Document
  after: Document
}

/** Keywords that restrict more when raised (or lowered). */
const floors = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties']
const ceilings = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties']

/** Differences that break a client of the previous schema. `where` is the path, such as `body.name`. */
export class SchemaBreaks {
  readonly #documents: Documents
  readonly #direction: Direction
  /** Guards against recursive schemas. */
  readonly #seen: Set<string>

  constructor(documents: Documents, direction: Direction, seen: Iterable<string> = []) {
    this.#documents = documents
    this.#direction = direction
    this.#seen = new Set(seen)
  }

  find(before: Schema, after: Schema, where: string): string[] {
    if (before.$ref !== undefined && after.$ref !== undefined) {
      const pair = `${before.$ref} ${after.$ref}`
      if (this.#seen.has(pair)) return []
      this.#seen.add(pair)
    }
    const old = this.#whole(this.#documents.before, before)
    const now = this.#whole(this.#documents.after, after)
    if (variantsOf(old).length > 0 || variantsOf(now).length > 0) return this.#variants(old, now, where)
    return [
      ...this.#types(old, now, where),
      ...this.#values(old, now, where),
      ...this.#limits(old, now, where),
      ...this.#parts(old, now, where),
    ]
  }

  /** Schema with all its `allOf` parts merged. */
  #whole(document: Document, schema: Schema): Schema {
    const { allOf = [], ...found } = resolved(document, schema)
    const joined = (sum: Schema, part: Schema): Schema => ({
      ...sum,
      ...part,
      properties: { ...sum.properties, ...part.properties },
      required: [...(sum.required ?? []), ...(part.required ?? [])],
    })
    return allOf.map((part) => this.#whole(document, part)).reduce(joined, found)
  }

  /** Each previous variant needs a new one that accepts everything it accepted. A response may get additional ones. */
  #variants(before: Schema, after: Schema, where: string): string[] {
    const now = variantsOf(after).length > 0 ? variantsOf(after) : [after]
    const old = variantsOf(before).length > 0 ? variantsOf(before) : [before]
    return old.flatMap((variant) => {
      const tried = now.map((other) => new SchemaBreaks(this.#documents, this.#direction, this.#seen).find(variant, other, where))
      return tried.some((breaks) => breaks.length === 0) ? [] : (tried.toSorted((one, other) => one.length - other.length)[0] ?? [])
    })
  }

  #types(before: Schema, after: Schema, where: string): string[] {
    const [old, now] = [typesOf(before), typesOf(after)]
    if (this.#direction === 'request') {
      if (now.length === 0) return []
      const refused = old.filter((type) => !takes(now, type))
      if (old.length === 0) return [`${where} must be ${now.join(' or ')} now`]
      return refused.map((type) => `${where} may no longer be ${type}`)
    }
    if (old.length === 0) return []
    const strange = now.filter((type) => !takes(old, type))
    if (now.length === 0) return [`${where} may be anything now`]
    return strange.map((type) => `${where} may be ${type} now`)
  }

  #values(before: Schema, after: Schema, where: string): string[] {
    const [old, now] = [valuesOf(before), valuesOf(after)]
    if (!now) return []
    if (!old) return this.#direction === 'request' ? [`${where} is one of a list now`] : []
    return old.filter((value) => !now.includes(value)).map((value) => `${where} no longer knows ${value}`)
  }

  #limits(before: Schema, after: Schema, where: string): string[] {
    if (this.#direction === 'response') return []
    const narrower = (names: string[], isNarrower: (old: number, now: number) => boolean, without: number): string[] =>
      names.filter((name) => after[name] !== undefined && isNarrower(Number(before[name] ?? without), Number(after[name])))
    const changed = [
      ...narrower(floors, (old, now) => now > old, -Infinity),
      ...narrower(ceilings, (old, now) => now < old, Infinity),
      ...(after.pattern !== undefined && after.pattern !== before.pattern ? ['pattern'] : []),
      ...(after.format !== undefined && after.format !== before.format ? ['format'] : []),
    ]
    return changed.map((name) => `${where}: ${name} is narrower`)
  }

  #parts(before: Schema, after: Schema, where: string): string[] {
    const breaks = [...this.#properties(before, after, where), ...this.#demanded(before, after, where)]
    if (before.items && after.items) breaks.push(...this.find(before.items, after.items, `${where}[]`))
    if (isSchema(before.additionalProperties) && isSchema(after.additionalProperties))
      breaks.push(...this.find(before.additionalProperties, after.additionalProperties, `${where}.*`))
    return breaks
  }

  #properties(before: Schema, after: Schema, where: string): string[] {
    return Object.entries(before.properties ?? {}).flatMap(([name, old]) => {
      const now = after.properties?.[name]
      if (now) return this.find(old, now, `${where}.${name}`)
      const isTaken = this.#direction === 'request' && after.additionalProperties !== false
      return isTaken ? [] : [`${where}.${name} is gone`]
    })
  }

  #demanded(before: Schema, after: Schema, where: string): string[] {
    const [old, now] = [before.required ?? [], after.required ?? []]
    if (this.#direction === 'request') return now.filter((name) => !old.includes(name)).map((name) => `${where}.${name} is required now`)
    return old.filter((name) => !now.includes(name) && after.properties?.[name]).map((name) => `${where}.${name} may be missing now`)
  }
}

const variantsOf = ({ anyOf, oneOf }: Schema): Schema[] => anyOf ?? oneOf ?? []

const typesOf = ({ type }: Schema): string[] => (type === undefined ? [] : [type].flat())

const takes = (types: string[], type: string): boolean => types.includes(type) || (type === 'integer' && types.includes('number'))

const valuesOf = (schema: Schema): string[] | undefined => {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value))
  return schema.const === undefined ? undefined : [JSON.stringify(schema.const)]
}

const isSchema = (value: Schema | boolean | undefined): value is Schema => typeof value === 'object'

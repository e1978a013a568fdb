import type { Insertable, Selectable } from 'kysely'
import { flag, type Flag } from '#adapters/store/schema/columns.ts'

/** How a column that differs from its field is written and read. NULL is undefined and reaches no codec. */
interface Codec<Field, Column> {
  write(value: Field): Column
  read(value: Column): Field
}

export const asFlag: Codec<boolean, Flag> = { write: flag, read: (value) => value === 1 }
export const asJson = <T>(): Codec<T, string> => ({ write: (value) => JSON.stringify(value), read: (text) => JSON.parse(text) as T })
/** Text of which only these values are written. */
export const asText = <T extends string>(): Codec<T, string> => ({ write: (value) => value, read: (text) => text as T })
/** Words in one text column; none are the empty text. */
export const asWords: Codec<readonly string[], string> = {
  write: (words) => words.join(' '),
  read: (text) => (text === '' ? [] : text.split(' ')),
}
/** Marks a column without a field. */
export const hidden = 'hidden'

type Snake<S extends string> = S extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Rest>}`
  : ''
type Plain<Column> = null extends Column ? Exclude<Column, null> | undefined : Column
type IsPlain<Row, Entity, Field extends keyof Entity & string> =
  Snake<Field> extends keyof Row
    ? [Plain<Row[Snake<Field>]>, Entity[Field]] extends [Entity[Field], Plain<Row[Snake<Field>]>]
      ? true
      : false
    : false
type Special<Row, Entity> = {
  [Field in keyof Entity & string]-?: IsPlain<Row, Entity, Field> extends true ? never : Field
}[keyof Entity & string]

/** A codec for each field that is not stored as it is, and `hidden` for each column without a field. */
type Spec<Row, Entity> = {
  [Field in Special<Row, Entity>]: Snake<Field> extends keyof Row
    ? Codec<Exclude<Entity[Field], undefined>, Exclude<Row[Snake<Field>], null>>
    : never
} & { [Column in Exclude<keyof Row, Snake<keyof Entity & string>>]: typeof hidden }

type Columns<Table, Fields> = {
  [Field in keyof Fields & string as Snake<Field> & keyof Insertable<Table>]: Insertable<Table>[Snake<Field> & keyof Insertable<Table>]
}

interface Place {
  column: string
  field: string
  codec: Codec<unknown, unknown> | undefined
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const camel = (name: string): string => name.replaceAll(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase())

/**
 * Maps rows to entities: `created_at` is `createdAt`, NULL is undefined. The compiler asks for a codec where the types differ, and for
 * `hidden` where a column has no field, so that a new column never reaches a reader by accident. A row of 25 columns takes a microsecond
 * more than by hand: tables that calls read and write all the time name their columns themselves.
 */
export const record = <Table, Entity extends object>(spec: Spec<Selectable<Table>, Entity>) => {
  const codecs = spec as Record<string, Codec<unknown, unknown> | typeof hidden | undefined>
  const placeOf = (column: string, field: string): Place => {
    const codec = codecs[field]
    return { column, field, codec: codec === hidden ? undefined : codec }
  }
  const byField = new Map<string, Place>()
  const placeOfField = (field: string): Place => {
    const place = byField.get(field) ?? placeOf(snake(field), field)
    byField.set(field, place)
    return place
  }
  let reading: { width: number; places: Place[]; empty: Record<string, undefined> } | undefined
  /** Rows of one width have the same columns; a migration while the service runs adds one. */
  const readingOf = (row: object) => {
    const columns = Object.keys(row)
    if (reading?.width === columns.length) return reading
    const places = columns.flatMap((column) => (codecs[column] === hidden ? [] : placeOf(column, camel(column))))
    reading = { width: columns.length, places, empty: Object.fromEntries(places.map(({ field }) => [field, undefined])) }
    return reading
  }
  return {
    /** Only the named fields; an explicit undefined is NULL. */
    columns: <Fields extends Partial<Entity>>(fields: Fields): Columns<Table, Fields> => {
      const columns: Record<string, unknown> = {}
      for (const [field, value] of Object.entries(fields)) {
        const { column, codec } = placeOfField(field)
        columns[column] = value === undefined ? null : codec ? codec.write(value) : value
      }
      return columns as Columns<Table, Fields>
    },

    fields: (row: Selectable<Table>): Entity => {
      const { places, empty } = readingOf(row)
      // Stores to fields that exist already are several times cheaper than adding them one by one.
      const fields: Record<string, unknown> = { ...empty }
      for (const { column, field, codec } of places) {
        const value: unknown = row[column as keyof typeof row]
        if (value !== null) fields[field] = codec ? codec.read(value) : value
      }
      return fields as Entity
    },
  }
}

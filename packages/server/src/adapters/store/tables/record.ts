import type { Insertable, Selectable, Updateable } from 'kysely'
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
/** The same for numbers. */
export const asNumber = <T extends number>(): Codec<T, number> => ({ write: (value) => value, read: (number) => number as T })
/** Words in one text column; none are the empty text. */
export const asWords = <T extends string>(): Codec<readonly T[], string> => ({
  write: (words) => words.join(' '),
  read: (text) => (text === '' ? [] : (text.split(' ') as T[])),
})
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

/** The row as if each column had the name of its field. */
type Renamed<Row, Spec> = {
  [
    Column in keyof Row as Column extends keyof Spec
      ? Spec[Column] extends typeof hidden
        ? Column
        : Spec[Column] extends string
          ? Snake<Spec[Column]>
          : Column
      : Column
  ]: Row[Column]
}

/** A codec for each field that is not stored as it is, and `hidden` for each column without a field. */
type Complete<Row, Entity> = {
  [Field in Special<Row, Entity>]: Snake<Field> extends keyof Row
    ? Codec<Exclude<Entity[Field], undefined>, Exclude<Row[Snake<Field>], null>>
    : never
} & { [Column in Exclude<keyof Row, Snake<keyof Entity & string>>]: typeof hidden }

type RenamedColumn<Spec, Field> = { [Column in keyof Spec]: Spec[Column] extends Field ? Column : never }[keyof Spec]
type ColumnOf<Spec, Field extends string> = [RenamedColumn<Spec, Field>] extends [never] ? Snake<Field> : RenamedColumn<Spec, Field>

type Columns<Table, Spec, Fields> = {
  [Field in keyof Fields & string as ColumnOf<Spec, Field> & keyof Insertable<Table>]: Insertable<Table>[ColumnOf<Spec, Field> &
    keyof Insertable<Table>]
}
type Changes<Table, Spec, Fields> = {
  [Field in keyof Fields & string as ColumnOf<Spec, Field> & keyof Updateable<Table>]?: Updateable<Table>[ColumnOf<Spec, Field> &
    keyof Updateable<Table>]
}

type Change<Entity> = { [Field in keyof Entity]?: Entity[Field] | (undefined extends Entity[Field] ? null : never) | undefined }

interface Place {
  column: string
  field: string
  codec: Codec<unknown, unknown> | undefined
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const camel = (name: string): string => name.replaceAll(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase())

/**
 * Maps rows to entities: `created_at` is `createdAt`, NULL is undefined. A column with another name is given its field (`ext: 'id'`).
 * The compiler asks for a codec where the types differ, and for `hidden` where a column has no field, so that a new column never
 * reaches a reader by accident. A row of 25 columns takes a microsecond more than by hand: tables that calls read and write all the
 * time name their columns themselves.
 */
export const record =
  <Table, Entity extends object>() =>
  <const Spec extends object>(
    spec: Spec & Complete<Renamed<Selectable<Table>, Spec>, Entity> & Record<Exclude<keyof Spec, keyof Table | keyof Entity>, never>,
  ) => {
    const entries = spec as Record<string, Codec<unknown, unknown> | string | undefined>
    const columnNames = new Map(Object.entries(entries).map(([column, field]) => [field, column]))
    const codecOf = (field: string): Place['codec'] => {
      const codec = entries[field]
      return typeof codec === 'object' ? codec : undefined
    }
    const fieldOf = (column: string): string => {
      const field = entries[column]
      return typeof field === 'string' ? field : camel(column)
    }
    const byField = new Map<string, Place>()
    const placeOf = (field: string): Place => {
      const place = byField.get(field) ?? { column: columnNames.get(field) ?? snake(field), field, codec: codecOf(field) }
      byField.set(field, place)
      return place
    }
    const write = (fields: object, isWritten: (value: unknown) => boolean): object => {
      const columns: Record<string, unknown> = {}
      for (const [field, value] of Object.entries(fields) as [string, unknown][]) {
        if (!isWritten(value)) continue
        const { column, codec } = placeOf(field)
        columns[column] = value === undefined || value === null ? null : codec ? codec.write(value) : value
      }
      return columns
    }
    let reading: { width: number; places: Place[]; empty: Record<string, undefined> } | undefined
    /** Rows of one width have the same columns; a migration while the service runs adds one. */
    const readingOf = (row: object) => {
      const columns = Object.keys(row)
      if (reading?.width === columns.length) return reading
      const shown = columns.filter((column) => entries[column] !== hidden)
      const places = shown.map((column) => ({ column, field: fieldOf(column), codec: codecOf(fieldOf(column)) }))
      reading = { width: columns.length, places, empty: Object.fromEntries(places.map(({ field }) => [field, undefined])) }
      return reading
    }
    const fields = (row: Selectable<Table>): Entity => {
      const { places, empty } = readingOf(row)
      // Stores to fields that exist already are several times cheaper than adding them one by one.
      const read: Record<string, unknown> = { ...empty }
      for (const { column, field, codec } of places) {
        const value: unknown = row[column as keyof typeof row]
        if (value !== null) read[field] = codec ? codec.read(value) : value
      }
      return read as Entity
    }
    return {
      /** For a new row: only the named fields; an explicit undefined is NULL. */
      columns: <Fields extends Partial<Entity>>(given: Fields): Columns<Table, Spec, Fields> =>
        write(given, () => true) as Columns<Table, Spec, Fields>,

      /** For an update: undefined leaves the column as it is, null clears it. */
      changes: <Fields extends Change<Entity>>(given: Fields): Changes<Table, Spec, Fields> => write(given, (value) => value !== undefined),

      fields,

      first: async (query: { executeTakeFirst(): Promise<Selectable<Table> | undefined> }): Promise<Entity | undefined> => {
        const row = await query.executeTakeFirst()
        return row && fields(row)
      },

      all: async (query: { execute(): Promise<Selectable<Table>[]> }): Promise<Entity[]> => (await query.execute()).map(fields),
    }
  }

import { sql, type RawBuilder } from 'kysely'

/** Whether one of these is a part of the column. */
export const hasOneOf = (column: string | RawBuilder<string>, parts: readonly string[]): RawBuilder<unknown> => {
  const value = typeof column === 'string' ? sql.ref(column) : column
  const all = parts.map((part) => sql`${value} like ${`%${escaped(part)}%`} escape '\\'`)
  return sql`(${sql.join(all.length > 0 ? all : [sql`1 = 0`], sql` or `)})`
}

/** So that it stands for itself in a pattern. */
export const escaped = (part: string): string => part.replaceAll(/[\\%_]/g, String.raw`\$&`)

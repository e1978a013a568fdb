import { sql, type RawBuilder } from 'kysely'

/** Whether the column contains one of these. */
export const hasOneOf = (column: string | RawBuilder<string>, parts: readonly string[]): RawBuilder<unknown> => {
  const value = typeof column === 'string' ? sql.ref(column) : column
  const all = parts.map((part) => sql`${value} like ${`%${escaped(part)}%`} escape '\\'`)
  return sql`(${sql.join(all.length > 0 ? all : [sql`1 = 0`], sql` or `)})`
}

/** Escapes LIKE wildcards. */
export const escaped = (part: string): string => part.replaceAll(/[\\%_]/g, String.raw`\$&`)

/** Statement of a release, with its migration. */
export interface Statement {
  name: string
  statement: string
}

/** Breaking statements on existing tables. */
const breaking: [RegExp, string][] = [
  [/^drop (?:table|view)/, 'takes a table away that the release before uses'],
  [/^alter table \S+ drop (?!constraint|default)/, 'takes a column away that the release before uses'],
  [/^alter table \S+ (?:rename|.* rename)/, 'renames what the release before uses'],
  [/^alter table \S+ add column (?=.*\bnot null\b)(?!.*\bdefault\b)/, 'wants a value that the release before does not write'],
  [/^alter table \S+ add (?:constraint|unique|check|foreign|primary)/, 'refuses what the release before may write'],
  [/^alter table \S+ alter (?:column )?\S+ (?:set not null|type|set data type)/, 'refuses what the release before may write'],
  [/^create unique index/, 'refuses what the release before may write'],
  // An after trigger records the row elsewhere. It must not raise.
  [/^create trigger (?!\w+ after (?!.*\braise\b))/, 'may refuse what the release before writes'],
  [/^(?:delete from|truncate)/, 'takes rows away that the release before uses'],
]

/** One line per statement with which a release would break the previous one, which keeps running concurrently. Tables that it creates itself are exempt. */
export const breakage = (statements: readonly Statement[]): string[] => {
  const own = new Set(statements.flatMap(({ statement }) => /^create table (?:if not exists )?(\w+)/i.exec(tidy(statement))?.[1] ?? []))
  return statements.flatMap(({ name, statement }) => {
    const text = tidy(statement)
    if (isOverNewColumn(statements, text)) return []
    if (own.has(tableOf(text)) || (text.startsWith('create trigger') && replacesTrigger(statements, tableOf(text)))) return []
    const why = breaking.find(([pattern]) => pattern.test(text))?.[1]
    return why === undefined ? [] : [`${name} ${why}: ${text}`]
  })
}

/** True for an index of the rows that have a value in a new column, which the release before does not write. */
const isOverNewColumn = (statements: readonly Statement[], text: string): boolean => {
  const column = /^create unique index .* where (\w+) is not null$/.exec(text)?.[1]
  const added = `alter table ${tableOf(text)} add column ${column} text`
  return column !== undefined && statements.some(({ statement }) => tidy(statement) === added)
}

/** True if the trigger replaces one that rejected at least as much. Triggers are named after their table and action. */
const replacesTrigger = (statements: readonly Statement[], table: string): boolean =>
  statements.some(({ statement }) => tidy(statement).startsWith(`drop trigger ${table}_`))

const tidy = (statement: string): string => statement.trim().replaceAll(/\s+/g, ' ').toLowerCase()

const tableOf = (text: string): string =>
  /^(?:alter table|drop table|delete from|truncate(?: table)?) (?:if exists )?(?:only )?(\w+)/.exec(text)?.[1] ??
  /^create (?:unique index|trigger) .*? on (\w+)/.exec(text)?.[1] ??
  ''

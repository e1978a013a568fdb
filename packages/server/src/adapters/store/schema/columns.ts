import type { ColumnType, Generated } from 'kysely'

export type { ReceiptState } from '#core/kernel/ports/messages.ts'
export type { Book, Purpose } from '#core/kernel/ports/store/money.ts'
export type { SoundTrouble } from '#core/kernel/ports/audio.ts'

/** 0 or 1 in both databases: SQLite has no boolean, and one form is easier than two. */
export type Flag = 0 | 1
export const flag = (value: boolean): Flag => (value ? 1 : 0)

/** A key the database counts up. */
export type Serial = Generated<number>

/** Set when the row is made, never changed after. */
export type Fixed<T> = ColumnType<T, T, never>

/** JSON kept as text. */
export type Json = string

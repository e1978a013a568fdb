import type { Restriction } from '@offhook/contract/restrictions.ts'
import type { ComponentType } from 'react'
import type { Role } from '#api/session.ts'
import type { InputOf, OperationId } from '#api/use-service.ts'
import type { InEach } from '#words/languages.ts'

/** Entries of the menu; their names, icons and order are in `shell/menu/menu.ts`. */
export type MenuName =
  | 'start'
  | 'phone'
  | 'calls'
  | 'messages'
  | 'contacts'
  | 'assistants'
  | 'hours'
  | 'system'
  | 'people'
  | 'money'
  | 'settings'
  | 'overview'
  | 'operatorCalls'
  | 'accounts'
  | 'stock'
  | 'trunks'
  | 'tariffs'
  | 'installation'

/** One page of the console. */
export interface PageEntry {
  /** Below /console, with `:name` for parameters. Operator pages begin with /operator. */
  path: string
  title: InEach<string>
  role: Role
  /** Any one of these permissions; without any, the page is open to all users. */
  needs?: readonly Restriction[]
  /**
   * Its menu entry. Pages of the same entry are tabs of each other, in the order of the page table. Without one it is reached from another
   * page, and belongs to the entry of the page whose path it continues.
   */
  menu?: MenuName
  /** Tab label, if it differs from the title. */
  tab?: InEach<string>
  load: () => Promise<ComponentType>
  /** Initial reads, independent of other state: prefetched while the file of the first page loads. */
  reads?: (params: Readonly<Record<string, string>>) => readonly Read[]
}

/** An operation and its parameters, as in `useRead`. */
export type Read = { [Id in OperationId]: readonly [id: Id, target?: InputOf<Id>[0]] }[OperationId]

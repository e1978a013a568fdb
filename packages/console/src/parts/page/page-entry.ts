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
  /** Below /console, with `:name` for what varies. Pages of the operator begin with /operator. */
  path: string
  title: InEach<string>
  role: Role
  /** Any one of these permissions; without any, the page is open to all users. */
  needs?: readonly Restriction[]
  /**
   * The entry of the menu that leads to it. Pages of the same entry are tabs of each other, in the order of the table of pages. Without
   * one it is reached from another page, and belongs to the entry of the page whose path it continues.
   */
  menu?: MenuName
  /** What its tab says, where that is not its title. */
  tab?: InEach<string>
  load: () => Promise<ComponentType>
  /** What it asks first of all, whatever is in its address: asked while its file is on its way, when it is the first page. */
  reads?: (params: Readonly<Record<string, string>>) => readonly Read[]
}

/** An operation and its parameters, as `useRead` takes them. */
export type Read = { [Id in OperationId]: readonly [id: Id, target?: InputOf<Id>[0]] }[OperationId]

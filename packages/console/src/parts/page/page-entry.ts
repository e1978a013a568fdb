import type { Restriction } from '@offhook/contract/restrictions.ts'
import type { ComponentType } from 'react'
import type { Role } from '#api/session.ts'
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
}

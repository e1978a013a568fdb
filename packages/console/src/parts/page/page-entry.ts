import type { Restriction } from '@offhook/contract/restrictions.ts'
import type { ComponentType } from 'react'
import type { Role } from '#api/session.ts'
import type { IconName } from '../icon/icons.ts'
import type { InEach } from '#words/languages.ts'

/** Groups of the navigation, in this order; the first has no name. */
export type Group = 'start' | 'assistants' | 'phone' | 'account' | 'operator'

/** One page of the console. */
export interface PageEntry {
  /** Below /console, with `:name` for what varies. Pages of the operator begin with /operator. */
  path: string
  title: InEach<string>
  role: Role
  /** Any one of these permissions; without any, the page is open to all users. */
  needs?: readonly Restriction[]
  /** Where it stands in the navigation; without one it is reached from another page. */
  menu?: { group: Group; icon: IconName }
  load: () => Promise<ComponentType>
}

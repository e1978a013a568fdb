import type { AttachedDevice } from './phonelines.ts'

export type GroupStrategy = 'PARALLEL' | 'LINEAR' | 'ROUND_ROBIN' | 'LONGEST_IDLE'

export interface Group {
  id: string
  alias: string
  strategy: GroupStrategy
  ringSeconds: number
  departmentId: number | undefined
}

/** Groups that were deleted are not found by any of these. */
export interface Groups {
  create(accountId: string, group: Omit<Group, 'id'> & { at: number }): Promise<string>
  list(accountId: string): Promise<Group[]>
  listByMember(accountId: string, userId: string): Promise<Group[]>
  find(accountId: string, id: string): Promise<Group | undefined>
  update(accountId: string, id: string, change: Partial<Omit<Group, 'id' | 'alias'>>): Promise<void>
  /** The group with its memberships and devices; its voicemail and fax lines are other extensions. */
  remove(accountId: string, id: string, at: number): Promise<void>
  /** Ids of users who still exist, in the order in which they are called. */
  members(accountId: string, id: string): Promise<string[]>
  replaceMembers(accountId: string, id: string, userIds: readonly string[]): Promise<void>
  /** Out of all groups. */
  removeMember(accountId: string, userId: string): Promise<void>
  devices(accountId: string, id: string): Promise<AttachedDevice[]>
  /** Saying it twice changes nothing. */
  addDevice(accountId: string, id: string, device: string): Promise<void>
  removeDevice(accountId: string, id: string, device: string): Promise<boolean>
  /** All devices of this user. */
  removeDevicesOf(accountId: string, id: string, userId: string): Promise<void>
}

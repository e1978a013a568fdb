import type { IdentityProvider } from './single-sign-on.ts'

interface DirectoryLink {
  userId: string
  /** Id of the user at the provider. */
  externalId: string | undefined
}

export interface DirectoryGroup {
  id: string
  name: string
  externalId: string | undefined
  /** Ids of users. */
  members: string[]
}

/** Users and groups that an identity provider manages (SCIM). */
export interface ProviderDirectory {
  /** The provider with this token. */
  findProvider(tokenHash: string): Promise<IdentityProvider | undefined>
  links(accountId: string, providerId: string): Promise<DirectoryLink[]>
  /** Links a user, or changes the link. */
  link(accountId: string, providerId: string, link: DirectoryLink, at: number): Promise<void>
  unlink(accountId: string, providerId: string, userId: string): Promise<void>
  /** By name. */
  groups(accountId: string, providerId: string): Promise<DirectoryGroup[]>
  insertGroup(accountId: string, providerId: string, group: DirectoryGroup, at: number): Promise<void>
  updateGroup(accountId: string, group: DirectoryGroup): Promise<void>
  removeGroup(accountId: string, groupId: string): Promise<void>
}

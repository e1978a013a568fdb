import type { DirectoryUser } from '#core/account/accounts/directory.ts'
import type { DirectoryGroup } from '#core/kernel/ports/store/provider-directory.ts'

export const scimSchemas = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  list: 'urn:ietf:params:scim:api:messages:2.0:ListResponse',
  error: 'urn:ietf:params:scim:api:messages:2.0:Error',
  config: 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig',
  type: 'urn:ietf:params:scim:schemas:core:2.0:ResourceType',
}

export const toScimUser = (base: string, groups: readonly DirectoryGroup[]) => {
  return ({ id, externalId, email, firstname, lastname, active }: DirectoryUser) => {
    const formatted = `${firstname} ${lastname}`.trim()
    return {
      schemas: [scimSchemas.user],
      id,
      ...(externalId !== undefined && { externalId }),
      userName: email,
      name: { givenName: firstname, familyName: lastname, formatted },
      displayName: formatted === '' ? email : formatted,
      emails: [{ value: email, type: 'work', primary: true }],
      active,
      groups: groups
        .filter(({ members }) => members.includes(id))
        .map((group) => ({ value: group.id, display: group.name, $ref: `${base}/Groups/${group.id}` })),
      meta: { resourceType: 'User', location: `${base}/Users/${id}` },
    }
  }
}

export const toScimGroup = (base: string) => {
  return ({ id, externalId, name, members }: DirectoryGroup) => ({
    schemas: [scimSchemas.group],
    id,
    ...(externalId !== undefined && { externalId }),
    displayName: name,
    members: members.map((value) => ({ value, type: 'User', $ref: `${base}/Users/${value}` })),
    meta: { resourceType: 'Group', location: `${base}/Groups/${id}` },
  })
}

export const serviceProviderConfig = (base: string) => ({
  schemas: [scimSchemas.config],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: 200 },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    { type: 'oauthbearertoken', name: 'Bearer token', description: 'POST /v1/singlesignon/{providerId}/scim makes it' },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})

export const resourceTypes = (base: string) =>
  (['User', 'Group'] as const).map((name) => ({
    schemas: [scimSchemas.type],
    id: name,
    name,
    endpoint: `/${name}s`,
    schema: name === 'User' ? scimSchemas.user : scimSchemas.group,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }))

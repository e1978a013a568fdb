import type { IconName } from '#parts/icon/icons.ts'

/** Reachable kinds. The first letter of an extension's id is its kind; a flow has another id format. */
export const endpointKinds = ['line', 'group', 'flow', 'voicemail', 'fax', 'sms'] as const

export type EndpointKind = (typeof endpointKinds)[number]

const letters: Readonly<Record<string, EndpointKind>> = { p: 'line', g: 'group', f: 'fax', v: 'voicemail', s: 'sms' }

/** Undefined: no destination. */
export const kindOf = (endpointId: string): EndpointKind | undefined => {
  if (endpointId === '') return undefined
  const letter = /^([a-z])\d{1,9}$/.exec(endpointId)?.[1]
  return letter === undefined ? 'flow' : letters[letter]
}

export const endpointIcons: Readonly<Record<EndpointKind, IconName>> = {
  line: 'line',
  group: 'group',
  flow: 'flow',
  voicemail: 'voicemail',
  fax: 'fax',
  sms: 'message',
}

/** `/v1/w0/phonelines/p0` → `w0`: paths of user resources contain the user. */
export const ownerIn = (endpointUrl: string): string | undefined => /^\/v1\/(w\d+)\//.exec(endpointUrl)?.[1]

/** Its console page, if any. */
export const pageOfEndpoint = (endpointId: string, endpointUrl: string): string | undefined => {
  const kind = kindOf(endpointId)
  const owner = ownerIn(endpointUrl)
  if (kind === 'group') return `/groups/${endpointId}`
  if (kind === 'flow') return `/flows/${endpointId}`
  return kind === 'line' && owner !== undefined ? `/lines/${owner}/${endpointId}` : undefined
}

import type { Language } from '#words/languages.ts'

/** Guides of the documentation that a page refers to. */
type Guide =
  | 'assistants'
  | 'call-notifications'
  | 'browser-phone'
  | 'calls-from-software'
  | 'carrier-trunk'
  | 'contacts'
  | 'fax-and-sms'
  | 'first-assistant'
  | 'first-steps'
  | 'going-to-production'
  | 'money'
  | 'moving-numbers'
  | 'people'
  | 'office-hours'
  | 'prompt-assistant'
  | 'recordings'
  | 'sandbox'
  | 'security'
  | 'several-machines'
  | 'sip-phone'
  | 'tokens-and-oauth'

/** What explains a page: the first row whose path it begins with; `:name` stands for anything. */
export const guideOfPages: readonly [path: string, guide: Guide][] = [
  ['/talk', 'first-assistant'],
  ['/flows/:flowId/assistant', 'prompt-assistant'],
  ['/flows/:flowId/versions', 'prompt-assistant'],
  ['/flows/:flowId/knowledge', 'prompt-assistant'],
  ['/flows/:flowId/results', 'prompt-assistant'],
  ['/flows', 'assistants'],
  ['/calls/history', 'recordings'],
  ['/calls/voicemail', 'recordings'],
  ['/phone', 'browser-phone'],
  ['/calls', 'calls-from-software'],
  ['/contacts', 'contacts'],
  ['/hours', 'office-hours'],
  ['/balance', 'money'],
  ['/devices', 'sip-phone'],
  ['/lines', 'sip-phone'],
  ['/groups', 'sip-phone'],
  ['/call-settings', 'call-notifications'],
  ['/fax', 'fax-and-sms'],
  ['/sms', 'fax-and-sms'],
  ['/portings', 'moving-numbers'],
  ['/numbers', 'moving-numbers'],
  ['/access', 'tokens-and-oauth'],
  ['/security', 'security'],
  ['/me', 'people'],
  ['/users', 'people'],
  ['/operator/trunks', 'carrier-trunk'],
  ['/operator/stock', 'moving-numbers'],
  ['/operator/calls', 'going-to-production'],
  ['/operator/tariffs', 'money'],
  ['/operator/portings', 'moving-numbers'],
  ['/operator/carriers', 'moving-numbers'],
  ['/operator/nodes', 'several-machines'],
  ['/operator/sandbox', 'sandbox'],
  ['/operator/security', 'security'],
  ['/operator', 'going-to-production'],
  ['/', 'first-steps'],
]

/** Guides that exist in German as well. */
export const germanGuides: ReadonlySet<Guide> = new Set<Guide>([
  'browser-phone',
  'carrier-trunk',
  'first-assistant',
  'going-to-production',
  'office-hours',
  'prompt-assistant',
  'sip-phone',
])

const begins = (location: string, path: string): boolean => {
  const there = location.split('/')
  return path === '/' || path.split('/').every((part, at) => part === there[at] || (part.startsWith(':') && there[at] !== undefined))
}

/** Where the documentation explains what is shown at this place of the console. */
export const helpAddress = (location: string, language: Language): string => {
  const guide = guideOfPages.find(([path]) => begins(location, path))?.[1] ?? 'first-steps'
  return language === 'de' && germanGuides.has(guide) ? `/docs/guides/de/${guide}` : `/docs/guides/${guide}`
}

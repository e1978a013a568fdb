import type { Language } from '#words/languages.ts'

/** Guides of the documentation linked by pages. */
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
  | 'privacy'
  | 'office-hours'
  | 'prompt-assistant'
  | 'recordings'
  | 'sandbox'
  | 'security'
  | 'several-machines'
  | 'single-sign-on'
  | 'sip-phone'
  | 'tokens-and-oauth'

/** Guide per page: the first row whose path is a prefix; `:name` matches anything. */
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
  ['/privacy', 'privacy'],
  ['/retention', 'privacy'],
  ['/me', 'people'],
  ['/users', 'people'],
  ['/single-sign-on', 'single-sign-on'],
  ['/operator/trunks', 'carrier-trunk'],
  ['/operator/stock', 'moving-numbers'],
  ['/operator/calls', 'going-to-production'],
  ['/operator/tariffs', 'money'],
  ['/operator/portings', 'moving-numbers'],
  ['/operator/carriers', 'moving-numbers'],
  ['/operator/nodes', 'several-machines'],
  ['/operator/sandbox', 'sandbox'],
  ['/operator/security', 'security'],
  ['/operator/privacy', 'privacy'],
  ['/operator', 'going-to-production'],
  ['/', 'first-steps'],
]

/** Guides with a German version. */
export const germanGuides: ReadonlySet<Guide> = new Set<Guide>([
  'browser-phone',
  'carrier-trunk',
  'first-assistant',
  'going-to-production',
  'office-hours',
  'privacy',
  'prompt-assistant',
  'sip-phone',
])

const begins = (location: string, path: string): boolean => {
  const there = location.split('/')
  return path === '/' || path.split('/').every((part, at) => part === there[at] || (part.startsWith(':') && there[at] !== undefined))
}

/** Documentation address for a place of the console. */
export const helpAddress = (location: string, language: Language): string => {
  const guide = guideOfPages.find(([path]) => begins(location, path))?.[1] ?? 'first-steps'
  return language === 'de' && germanGuides.has(guide) ? `/docs/guides/de/${guide}` : `/docs/guides/${guide}`
}

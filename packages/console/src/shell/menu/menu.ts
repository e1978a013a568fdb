import type { IconName } from '#parts/icon/icons.ts'
import type { MenuName, PageEntry } from '#parts/page/page-entry.ts'
import type { InEach } from '#words/languages.ts'

interface MenuEntry {
  name: MenuName
  title: InEach<string>
  icon: IconName
  /** At the bottom, separate from the others. */
  last?: boolean
}

/** Every menu entry, in order. An entry without an accessible page is hidden. */
const menu: readonly MenuEntry[] = [
  { name: 'start', title: { en: 'Start', de: 'Start' }, icon: 'home' },
  { name: 'phone', title: { en: 'Phone', de: 'Telefon' }, icon: 'phone' },
  { name: 'calls', title: { en: 'Calls', de: 'Anrufe' }, icon: 'history' },
  { name: 'messages', title: { en: 'Messages', de: 'Nachrichten' }, icon: 'message' },
  { name: 'contacts', title: { en: 'Contacts', de: 'Kontakte' }, icon: 'book' },
  { name: 'assistants', title: { en: 'Assistants', de: 'Assistenten' }, icon: 'flow' },
  { name: 'hours', title: { en: 'Office hours', de: 'Geschäftszeiten' }, icon: 'clock' },
  { name: 'system', title: { en: 'Telephone system', de: 'Telefonanlage' }, icon: 'device' },
  { name: 'people', title: { en: 'People', de: 'Personen' }, icon: 'group' },
  { name: 'money', title: { en: 'Money', de: 'Kosten' }, icon: 'wallet' },
  { name: 'overview', title: { en: 'Overview', de: 'Überblick' }, icon: 'chart' },
  { name: 'accounts', title: { en: 'Accounts', de: 'Konten' }, icon: 'group' },
  { name: 'operatorCalls', title: { en: 'Calls', de: 'Anrufe' }, icon: 'history' },
  { name: 'stock', title: { en: 'Numbers', de: 'Rufnummern' }, icon: 'hash' },
  { name: 'trunks', title: { en: 'Trunks', de: 'Trunks' }, icon: 'trunk' },
  { name: 'tariffs', title: { en: 'Tariffs', de: 'Tarife' }, icon: 'tag' },
  { name: 'installation', title: { en: 'Installation', de: 'Installation' }, icon: 'node' },
  { name: 'settings', title: { en: 'Settings', de: 'Einstellungen' }, icon: 'settings', last: true },
]

/** A visible menu entry with its accessible pages. */
export interface OpenEntry extends MenuEntry {
  pages: readonly PageEntry[]
}

export const menuOf = (open: readonly PageEntry[]): OpenEntry[] =>
  menu.map((entry) => ({ ...entry, pages: open.filter((page) => page.menu === entry.name) })).filter(({ pages }) => pages.length > 0)

/** Whether a location is a page or below it. The start pages are above all others and have nothing below them. */
const isWithin = (location: string, { path }: PageEntry): boolean =>
  location === path || (path !== '/' && path !== '/operator' && location.startsWith(`${path}/`))

export const isCurrent = (entry: OpenEntry, location: string): boolean => entry.pages.some((page) => isWithin(location, page))

/** The tabs above a page: those of its entry, if there are several. Pages below a tab have a back link instead. */
export const tabsAt = (entries: readonly OpenEntry[], location: string): OpenEntry | undefined =>
  entries.find(({ pages }) => pages.length > 1 && pages.some(({ path }) => path === location))

import type { PageEntry } from '../page-entry.ts'

/** What the operator of the installation sees, in the order of the navigation. */
export const operatorPages: readonly PageEntry[] = [
  {
    path: '/operator',
    title: { en: 'Overview', de: 'Überblick' },
    role: 'operator',
    menu: { group: 'operator', icon: 'chart' },
    load: () => import('./overview/overview-page.tsx').then(({ OverviewPage }) => OverviewPage),
  },
  {
    path: '/operator/nodes',
    title: { en: 'Processes', de: 'Prozesse' },
    role: 'operator',
    menu: { group: 'operator', icon: 'node' },
    load: () => import('./nodes/nodes-page.tsx').then(({ NodesPage }) => NodesPage),
  },
  {
    path: '/operator/accounts',
    title: { en: 'Accounts', de: 'Konten' },
    role: 'operator',
    menu: { group: 'operator', icon: 'group' },
    load: () => import('./accounts/accounts-page.tsx').then(({ AccountsPage }) => AccountsPage),
  },
  {
    path: '/operator/accounts/:accountId',
    title: { en: 'Account', de: 'Konto' },
    role: 'operator',
    load: () => import('./accounts/account-page.tsx').then(({ AccountPage }) => AccountPage),
  },
]

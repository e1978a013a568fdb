import { operatorPages } from './operator/operator-pages.ts'
import type { PageEntry } from './page-entry.ts'

/** Every page there is, in the order of the navigation. Each is loaded when it is first opened. */
export const pages: readonly PageEntry[] = [
  {
    path: '/',
    title: { en: 'Start', de: 'Start' },
    role: 'user',
    menu: { group: 'start', icon: 'home' },
    load: () => import('./home/home-page.tsx').then(({ HomePage }) => HomePage),
  },
  ...operatorPages,
]

import { officePages } from './account/office-pages.ts'
import { telephonePages } from './account/telephone-pages.ts'
import { flowPages } from './flows/flow-pages.ts'
import { operatorPages } from './operator/operator-pages.ts'
import type { PageEntry } from '../parts/page/page-entry.ts'

/** All pages, in navigation order. Each is loaded at first use. */
export const pages: readonly PageEntry[] = [
  {
    path: '/',
    title: { en: 'Start', de: 'Start' },
    role: 'user',
    menu: 'start',
    load: () => import('./home/home-page.tsx').then(({ HomePage }) => HomePage),
  },
  {
    path: '/phone',
    title: { en: 'Phone', de: 'Telefon' },
    role: 'user',
    needs: ['CAN_INITIATE_CALLS'],
    menu: 'phone',
    load: () => import('./phone/phone-page.tsx').then(({ PhonePage }) => PhonePage),
  },
  {
    path: '/calls',
    title: { en: 'Calls', de: 'Anrufe' },
    role: 'user',
    needs: ['CAN_CONTROL_CALLS', 'CAN_GET_HISTORY'],
    menu: 'calls',
    tab: { en: 'History', de: 'Verlauf' },
    load: () => import('./calls/calls-page.tsx').then(({ CallsPage }) => CallsPage),
  },
  {
    path: '/calls/voicemail',
    title: { en: 'Voicemail', de: 'Mailbox' },
    role: 'user',
    needs: ['CAN_GET_HISTORY'],
    menu: 'calls',
    load: () => import('./calls/voicemail-page.tsx').then(({ VoicemailPage }) => VoicemailPage),
  },
  {
    path: '/calls/history/:entryId',
    title: { en: 'History', de: 'Verlauf' },
    role: 'user',
    needs: ['CAN_GET_HISTORY'],
    load: () => import('./calls/entry-page.tsx').then(({ EntryPage }) => EntryPage),
  },
  {
    path: '/calls/:callId',
    title: { en: 'Call', de: 'Anruf' },
    role: 'user',
    needs: ['CAN_CONTROL_CALLS', 'CAN_GET_HISTORY'],
    load: () => import('./calls/call-page.tsx').then(({ CallPage }) => CallPage),
  },
  {
    path: '/calls/:callId/lab',
    title: { en: 'Barge-in lab', de: 'Unterbrechungslabor' },
    role: 'user',
    needs: ['CAN_GET_HISTORY'],
    load: () => import('./calls/lab/lab-page.tsx').then(({ LabPage }) => LabPage),
  },
  ...flowPages,
  ...telephonePages,
  ...officePages,
  ...operatorPages,
]

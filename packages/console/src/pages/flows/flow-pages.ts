import type { PageEntry } from '#parts/page/page-entry.ts'

/** Flows and what their endpoints were told. */
export const flowPages: readonly PageEntry[] = [
  {
    path: '/flows',
    title: { en: 'Flows', de: 'Flows' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    menu: { group: 'assistants', icon: 'flow' },
    load: () => import('./flows-page.tsx').then(({ FlowsPage }) => FlowsPage),
  },
  {
    path: '/flows/:flowId',
    title: { en: 'Flow', de: 'Flow' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    load: () => import('./settings/flow-page.tsx').then(({ FlowPage }) => FlowPage),
  },
  {
    path: '/flows/:flowId/deliveries',
    title: { en: 'Delivery log', de: 'Zustellungen' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    load: () => import('./deliveries/deliveries-page.tsx').then(({ DeliveriesPage }) => DeliveriesPage),
  },
  {
    path: '/flows/:flowId/test',
    title: { en: 'Test endpoint', de: 'Endpunkt testen' },
    role: 'user',
    needs: ['CAN_CHANGE_FLOWS'],
    load: () => import('./trial/trial-page.tsx').then(({ TrialPage }) => TrialPage),
  },
  {
    path: '/flows/:flowId/secrets',
    title: { en: 'Secrets', de: 'Geheimnisse' },
    role: 'user',
    needs: ['CAN_CHANGE_FLOWS'],
    load: () => import('./secrets/secrets-page.tsx').then(({ SecretsPage }) => SecretsPage),
  },
]

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
    path: '/flows/:flowId/assistant',
    title: { en: 'Assistant', de: 'Assistent' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    load: () => import('./assistant/assistant-page.tsx').then(({ AssistantPage }) => AssistantPage),
  },
  {
    path: '/flows/:flowId/versions',
    title: { en: 'Versions', de: 'Fassungen' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    load: () => import('./versions/versions-page.tsx').then(({ VersionsPage }) => VersionsPage),
  },
  {
    path: '/flows/:flowId/knowledge',
    title: { en: 'Knowledge', de: 'Wissen' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    load: () => import('./knowledge/knowledge-page.tsx').then(({ KnowledgePage }) => KnowledgePage),
  },
  {
    path: '/flows/:flowId/results',
    title: { en: 'Results', de: 'Ergebnisse' },
    role: 'user',
    needs: ['CAN_CHANGE_FLOWS'],
    load: () => import('./results/results-page.tsx').then(({ ResultsPage }) => ResultsPage),
  },
  {
    path: '/flows/:flowId/tests',
    title: { en: 'Tests', de: 'Tests' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    load: () => import('./tests/tests-page.tsx').then(({ TestsPage }) => TestsPage),
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

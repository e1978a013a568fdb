import type { PageEntry, Read } from '#parts/page/page-entry.ts'

type Params = Parameters<NonNullable<PageEntry['reads']>>[0]

const ofFlow = ({ flowId = '' }: Params): Read[] => [['getFlow', { aiFlowId: flowId }]]
const ofAssistant = (params: Params): Read[] => [...ofFlow(params), ['getAssistant', { aiFlowId: params.flowId ?? '' }]]

/** Flows and the deliveries to their endpoints. */
export const flowPages: readonly PageEntry[] = [
  {
    path: '/flows',
    title: { en: 'Assistants', de: 'Assistenten' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    menu: 'assistants',
    load: () => import('./flows-page.tsx').then(({ FlowsPage }) => FlowsPage),
    reads: () => [['listFlows']],
  },
  {
    path: '/flows/:flowId',
    title: { en: 'Assistant', de: 'Assistent' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    load: () => import('./settings/flow-page.tsx').then(({ FlowPage }) => FlowPage),
    reads: ofFlow,
  },
  {
    path: '/flows/:flowId/assistant',
    title: { en: 'Assistant', de: 'Assistent' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    load: () => import('./assistant/assistant-page.tsx').then(({ AssistantPage }) => AssistantPage),
    reads: ofAssistant,
  },
  {
    path: '/flows/:flowId/versions',
    title: { en: 'Versions', de: 'Versionen' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    load: () => import('./versions/versions-page.tsx').then(({ VersionsPage }) => VersionsPage),
    reads: ofFlow,
  },
  {
    path: '/flows/:flowId/knowledge',
    title: { en: 'Knowledge', de: 'Wissen' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    load: () => import('./knowledge/knowledge-page.tsx').then(({ KnowledgePage }) => KnowledgePage),
    reads: ofFlow,
  },
  {
    path: '/flows/:flowId/results',
    title: { en: 'Results', de: 'Ergebnisse' },
    role: 'user',
    needs: ['CAN_CHANGE_FLOWS'],
    load: () => import('./results/results-page.tsx').then(({ ResultsPage }) => ResultsPage),
    reads: ofFlow,
  },
  {
    path: '/flows/:flowId/tests',
    title: { en: 'Tests', de: 'Tests' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    load: () => import('./tests/tests-page.tsx').then(({ TestsPage }) => TestsPage),
    reads: ofFlow,
  },
  {
    path: '/flows/:flowId/deliveries',
    title: { en: 'Webhook log', de: 'Webhook-Protokoll' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    load: () => import('./deliveries/deliveries-page.tsx').then(({ DeliveriesPage }) => DeliveriesPage),
    reads: ofFlow,
  },
  {
    path: '/flows/:flowId/test',
    title: { en: 'Test endpoint', de: 'Endpunkt testen' },
    role: 'user',
    needs: ['CAN_CHANGE_FLOWS'],
    load: () => import('./trial/trial-page.tsx').then(({ TrialPage }) => TrialPage),
    reads: ofFlow,
  },
  {
    path: '/flows/:flowId/secrets',
    title: { en: 'Signing secrets', de: 'Signaturschlüssel' },
    role: 'user',
    needs: ['CAN_CHANGE_FLOWS'],
    load: () => import('./secrets/secrets-page.tsx').then(({ SecretsPage }) => SecretsPage),
    reads: ofFlow,
  },
  {
    path: '/talk',
    title: { en: 'Talk', de: 'Sprechen' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    menu: 'assistants',
    load: () => import('../talk/talk-page.tsx').then(({ TalkPage }) => TalkPage),
  },
  {
    path: '/talk/:flowId',
    title: { en: 'Talk', de: 'Sprechen' },
    role: 'user',
    needs: ['CAN_GET_FLOWS'],
    load: () => import('../talk/talk-page.tsx').then(({ TalkPage }) => TalkPage),
  },
]

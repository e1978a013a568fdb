import type { operations } from '@offhook/contract'

type Operations = typeof operations

/** The operations that commands use, checked against the contract by types only: loading its schemas takes a quarter of a second. */
export const routes = {
  callFlow: { method: 'POST', path: '/v3/ai-flows/{aiFlowId}/call' },
  changeFlow: { method: 'PUT', path: '/v3/ai-flows/{aiFlowId}' },
  createFlow: { method: 'POST', path: '/v3/ai-flows' },
  createPersonalToken: { method: 'POST', path: '/v1/authorization/personaltokens' },
  deletePersonalToken: { method: 'DELETE', path: '/v1/authorization/personaltokens/{tokenId}' },
  explainCall: { method: 'GET', path: '/v2/calls/{callId}/explanation' },
  getCallScenario: { method: 'GET', path: '/v2/calls/{callId}/scenario' },
  getTestRun: { method: 'GET', path: '/v3/ai-flows/{aiFlowId}/test-runs/{runId}' },
  getTimeline: { method: 'GET', path: '/v2/calls/{callId}/timeline' },
  getUserInfo: { method: 'GET', path: '/v1/authorization/userinfo' },
  listFlows: { method: 'GET', path: '/v3/ai-flows' },
  listOwnHistory: { method: 'GET', path: '/v2/history' },
  listPersonalTokens: { method: 'GET', path: '/v1/authorization/personaltokens' },
  listResults: { method: 'GET', path: '/v3/ai-flows/{aiFlowId}/results' },
  listScenarios: { method: 'GET', path: '/v3/ai-flows/{aiFlowId}/scenarios' },
  listUserDevices: { method: 'GET', path: '/v1/{userId}/devices' },
  runLab: { method: 'POST', path: '/v2/calls/{callId}/lab' },
  setScenario: { method: 'PUT', path: '/v3/ai-flows/{aiFlowId}/scenarios/{name}' },
  startCall: { method: 'POST', path: '/v1/sessions/calls' },
  startTalk: { method: 'POST', path: '/v3/ai-flows/{aiFlowId}/talks' },
  startTestRun: { method: 'POST', path: '/v3/ai-flows/{aiFlowId}/test-runs' },
  testFlow: { method: 'POST', path: '/v3/ai-flows/{aiFlowId}/test' },
} satisfies { [Id in keyof Operations]?: Pick<Operations[Id], 'method' | 'path'> }

import { useRead, useWrite } from '#api/use-service.ts'
import { SigningSecrets } from '#parts/secrets/signing-secrets.tsx'
import { useText } from '#words/use-text.tsx'
import { FlowFrame } from '../parts/flow-frame.tsx'

import { text } from './text.ts'

/** Signing secrets of a flow's events. */
export const SecretsPage = () => <FlowFrame tab="secrets">{({ id }) => <Secrets flowId={id} />}</FlowFrame>

const refreshes = ['listFlowSecrets'] as const

const Secrets = ({ flowId }: { flowId: string }) => {
  const say = useText(text)
  const flow = { aiFlowId: flowId }
  const secrets = useRead('listFlowSecrets', flow)
  const create = useWrite('createFlowSecret', { refreshes })
  const remove = useWrite('deleteFlowSecret', { refreshes })
  return (
    <SigningSecrets
      words={say}
      secrets={secrets}
      onCreate={() => create.mutateAsync([flow])}
      creating={create.isPending}
      onDelete={(secretId) => remove.mutateAsync([{ ...flow, secretId }])}
    />
  )
}

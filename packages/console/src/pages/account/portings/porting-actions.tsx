import { Button, Group } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import type { PortingStatus } from './porting-track.ts'
import { text } from './text.ts'
import type { Porting } from './porting-state.tsx'

/** Once the present carrier knows of it, it has to agree to a revocation. */
const binding: readonly PortingStatus[] = [250, 400]

export const PortingActions = ({ porting, status, onCorrect }: { porting: Porting; status: PortingStatus; onCorrect: () => void }) => {
  const say = useText(text)
  const may = useMay()
  const toast = useToast()
  const confirm = useConfirm()
  const asked = binding.includes(status)
  const revoke = useWrite('revokePorting', {
    refreshes: ['listPortings', 'listNumbers'],
    onDone: () => toast.done(asked ? say.revokeAsked : say.revoked),
  })
  const ask = async (): Promise<void> => {
    const body = asked ? `${say.revokeBody} ${say.revokeBinding}` : say.revokeBody
    if (await confirm({ title: say.revokeTitle, body, confirm: say.revokeConfirm }))
      revoke.mutate([{ portingId: String(porting.id) }], { onError: toast.failed })
  }
  return (
    <Group gap="xs">
      {porting.correctable && may('CAN_CREATE_PORTINGS') && (
        <Button size="sm" variant={status === 252 ? 'filled' : 'default'} onClick={onCorrect}>
          {status === 252 ? say.correct : say.change}
        </Button>
      )}
      {porting.revocable && !porting.cancelRequested && may('CAN_REVOKE_PORTINGS') && (
        <Button size="sm" variant="default" loading={revoke.isPending} onClick={() => void ask()}>
          {say.revoke}
        </Button>
      )}
    </Group>
  )
}

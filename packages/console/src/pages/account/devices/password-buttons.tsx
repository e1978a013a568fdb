import { Button, Input } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './credentials-text.ts'

/** Reading the password stands in the audit log. */
export const ShowPassword = ({ deviceId, onShown }: { deviceId: string; onShown: (password: string) => void }) => {
  const say = useText(text)
  const toast = useToast()
  const read = useWrite('readDeviceCredentials', {
    onDone: ({ password = '' }) => onShown(password),
  })
  return (
    <Input.Wrapper label={say.password} labelElement="div">
      <div>
        <Button
          variant="default"
          loading={read.isPending}
          onClick={() => read.mutate([{ deviceId }], { onError: (error) => toast.failed(error) })}
        >
          {say.showPassword}
        </Button>
      </div>
    </Input.Wrapper>
  )
}

export const ResetPassword = ({ deviceId, onReset }: { deviceId: string; onReset: (password: string) => void }) => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const may = useMay()
  const reset = useWrite('resetDevicePassword', {
    refreshes: ['getDevice', 'listUserDevices'],
    onDone: ({ password }) => {
      toast.done(say.resetDone)
      onReset(password)
    },
  })
  if (!may('CAN_CHANGE_DEVICES')) return null
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.resetTitle, body: say.resetBody, confirm: say.resetConfirm }))
      reset.mutate([{ deviceId }], { onError: (error) => toast.failed(error) })
  }
  return (
    <Button variant="default" leftSection={<Icon name="refresh" size={16} />} loading={reset.isPending} onClick={() => void ask()}>
      {say.reset}
    </Button>
  )
}

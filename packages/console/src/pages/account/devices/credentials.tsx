import { Alert, Button, Group, Input, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { CopyField } from '#parts/dialog/copy-field.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './credentials-text.ts'
import type { RegisterDevice } from './device-state.tsx'
import { SetupCode } from './setup-code.tsx'
import { isOnlyThisMachine } from './softphone-address.ts'

/** Everything that is needed to log a SIP phone in, and who has done so. */
export const Credentials = ({ device }: { device: RegisterDevice }) => {
  const say = useText(text)
  const { username, sipServer, outboundProxy, sipServerWebsocketUrl } = device.credentials
  const [password, setPassword] = useState<string>()
  const [resets, setResets] = useState(0)
  const keep = (fresh: string): void => {
    setPassword(fresh)
    setResets(resets + 1)
  }
  return (
    <>
      <Section title={say.login} description={say.loginHint} actions={<ResetPassword deviceId={device.id} onReset={keep} />}>
        <Stack>
          {isOnlyThisMachine(sipServer) && (
            <Alert color="yellow" icon={<Icon name="alert" />}>
              {say.onlyHere(sipServer)}
            </Alert>
          )}
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <CopyField label={say.username} value={username} />
            {password === undefined ? (
              <ShowPassword deviceId={device.id} onShown={setPassword} />
            ) : (
              <CopyField key={password} label={say.password} value={password} secret />
            )}
            <CopyField label={say.server} value={sipServer} />
            <CopyField label={say.proxy} value={outboundProxy} />
            <CopyField label={say.webSocket} value={sipServerWebsocketUrl} />
          </SimpleGrid>
        </Stack>
      </Section>
      <SetupCode key={resets} deviceId={device.id} />
      <Registered phones={device.registered} />
    </>
  )
}

/** The service keeps a note of whoever looks. */
const ShowPassword = ({ deviceId, onShown }: { deviceId: string; onShown: (password: string) => void }) => {
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

const ResetPassword = ({ deviceId, onReset }: { deviceId: string; onReset: (password: string) => void }) => {
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

const Registered = ({ phones }: { phones: RegisterDevice['registered'] }) => {
  const say = useText(text)
  return (
    <Section title={say.registered} description={say.registeredHint}>
      <div aria-live="polite">
        {phones.length === 0 ? (
          <Text size="sm">
            {say.notRegistered} {say.notRegisteredHint}
          </Text>
        ) : (
          <Stack gap="sm">
            {phones.map(({ userAgent, ip, port }) => (
              <Group key={`${ip}:${port}`} gap="sm" wrap="nowrap">
                <Icon name="check" />
                <div>
                  <Text size="sm">{userAgent === '' ? say.unnamed : userAgent}</Text>
                  <Text size="xs" c="dimmed">
                    {ip}:{port}
                  </Text>
                </div>
              </Group>
            ))}
          </Stack>
        )}
      </div>
    </Section>
  )
}

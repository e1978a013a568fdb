import { Alert, Group, SimpleGrid, Stack, Text, Button, Input } from '@mantine/core'
import { useState, useEffect } from 'react'
import { CopyField } from '#parts/dialog/copy-field.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import type { RegisterDevice } from './devices-page.tsx'
import { useMay } from '#api/use-may.ts'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { QrCode } from '#lazy-parts/totp-set-up.tsx'
import { text } from './credentials-text.ts'
import { isLoopbackOnly, addressForPhones } from './softphone-address.ts'

/** Login data of a SIP phone, and its registrations. */
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
          {isLoopbackOnly(sipServer) && (
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

/** Reading the password is recorded in the audit log. */
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

/** A code for the app that reads such codes of any service; created on request. */
const SetupCode = ({ deviceId }: { deviceId: string }) => {
  const say = useText(text)
  const make = useWrite('createSoftphoneLink')
  const show = (): void => make.mutate([{ deviceId }])
  return (
    <Section title={say.code} description={say.codeHint}>
      <Stack gap="md">
        <Text size="sm">
          {say.codeReplaces} {say.codeOther}
        </Text>
        {make.data ? (
          <Code key={make.data.url} link={make.data} pending={make.isPending} onAgain={show} />
        ) : (
          <Group>
            <Button variant="light" leftSection={<Icon name="qr" size={16} />} loading={make.isPending} onClick={show}>
              {say.showCode}
            </Button>
          </Group>
        )}
        <ErrorNotice error={make.error} />
      </Stack>
    </Section>
  )
}

interface CodeProps {
  link: { url: string; expiresAt: string }
  pending: boolean
  onAgain: () => void
}

const Code = ({ link: { url, expiresAt }, pending, onAgain }: CodeProps) => {
  const say = useText(text)
  const { clock } = useFormat()
  const ended = useIsOver(expiresAt)
  const address = addressForPhones(url, location)
  if (ended)
    return (
      <Group>
        <Text size="sm">{say.codeOver}</Text>
        <Button variant="light" loading={pending} onClick={onAgain}>
          {say.again}
        </Button>
      </Group>
    )
  return (
    <Stack gap="sm">
      <Alert color="yellow" icon={<Icon name="key" />}>
        {say.codeSecret} {say.codeUntil(clock(expiresAt))}
      </Alert>
      <QrCode content={address} label={say.codeLabel} />
      <CopyField label={say.copyAddress} value={address} secret />
    </Stack>
  )
}

const useIsOver = (expiresAt: string): boolean => {
  const [ended, setOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), Date.parse(expiresAt) - Date.now())
    return () => clearTimeout(timer)
  }, [expiresAt])
  return ended
}

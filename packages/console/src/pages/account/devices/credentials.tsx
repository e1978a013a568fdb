import { Alert, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { CopyField } from '#parts/dialog/copy-field.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './credentials-text.ts'
import type { RegisterDevice } from './device-state.tsx'
import { SetupCode } from './setup-code.tsx'
import { isLoopbackOnly } from './softphone-address.ts'
import { ShowPassword, ResetPassword } from './password-buttons.tsx'

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

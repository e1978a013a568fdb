import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useWrite } from '#api/use-service.ts'
import { CopyField } from '#parts/dialog/copy-field.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './credentials-text.ts'
import { QrCode } from '#lazy-parts/qr-code.tsx'
import { addressForPhones } from './softphone-address.ts'

/** A code for the one app that reads such codes of any service; it is made when the user wants to see it. */
export const SetupCode = ({ deviceId }: { deviceId: string }) => {
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
  const [over, setOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), Date.parse(expiresAt) - Date.now())
    return () => clearTimeout(timer)
  }, [expiresAt])
  return over
}

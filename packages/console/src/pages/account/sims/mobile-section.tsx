import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useRead, useWrite } from '#api/use-service.ts'
import { CopyField } from '#parts/dialog/copy-field.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import type { MobileDevice } from '../devices/device-state.tsx'
import { Contingents } from './contingents.tsx'
import { EarlierOrders, OpenOrder, isOpen } from './sim-orders.tsx'
import { text } from './text.ts'
import { SimActions } from './sim-actions.tsx'

const tones: Readonly<Record<MobileDevice['simState'], Tone>> = { ACTIVE: 'good', PENDING: 'busy', INACTIVE: 'quiet' }

/** A mobile phone with its card, the order that is under way, and what is left of its packages. */
export const MobileSection = ({ userId, device }: { userId: string; device: MobileDevice }) => {
  const say = useText(text)
  const deviceId = device.id
  const orders = useRead('listSimOrders', { userId, deviceId }, { every: 10_000 }).data?.items ?? []
  const open = orders.find(isOpen)
  const state = (
    <Group gap="xs">
      <StatusBadge tone={tones[device.simState]}>{say.states[device.simState]}</StatusBadge>
      {device.esim && <StatusBadge tone="quiet">{say.esim}</StatusBadge>}
    </Group>
  )
  return (
    <Section title={device.alias} description={state} actions={<SimActions userId={userId} device={device} order={open} />}>
      <Stack gap="lg">
        {open && <OpenOrder order={open} device={device.alias} />}
        {device.credentials && <Card deviceId={deviceId} simId={device.credentials.simId} />}
        <Contingents userId={userId} deviceId={deviceId} />
        <EarlierOrders orders={orders.filter((order) => !isOpen(order))} />
      </Stack>
    </Section>
  )
}

/** Reading the PUKs stands in the audit log. */
const Card = ({ deviceId, simId }: { deviceId: string; simId: string }) => {
  const say = useText(text)
  const toast = useToast()
  const read = useWrite('readDeviceCredentials')
  const { puk1 = '', puk2 = '' } = read.data ?? {}
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600} component="h3">
        {say.card}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <CopyField label={say.simId} value={simId} />
        {read.data === undefined && (
          <Button
            variant="default"
            loading={read.isPending}
            onClick={() => read.mutate([{ deviceId }], { onError: (error) => toast.failed(error) })}
          >
            {say.showPuks}
          </Button>
        )}
        {puk1 !== '' && <CopyField label={say.puk(1)} value={puk1} secret />}
        {puk2 !== '' && <CopyField label={say.puk(2)} value={puk2} secret />}
      </SimpleGrid>
    </Stack>
  )
}

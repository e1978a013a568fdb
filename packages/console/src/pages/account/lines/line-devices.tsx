import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { useRead, useWrite } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { DeviceTicks, type TickedDevice } from '../parts/device-ticks.tsx'
import { text as accountText } from '../parts/text.ts'
import type { LineId } from './line-id.ts'
import { text } from './text.ts'

/** A tick for each device: whether it rings. Devices of colleagues stand here only when they ring already. */
export const LineDevices = ({ line, mayChange }: { line: LineId; mayChange: boolean }) => {
  const say = useText(text)
  const attached = useRead('listPhonelineDevices', { ...line })
  const own = useRead('listUserDevices', { userId: line.userId }).data?.items ?? []
  return (
    <Section title={say.devicesTitle} description={say.devicesHint}>
      <Loaded query={attached}>
        {({ items }) => {
          const others = items.filter(({ id }) => !own.some((device) => device.id === id))
          return <Ticks line={line} devices={[...own, ...others]} ringing={new Set(items.map(({ id }) => id))} mayChange={mayChange} />
        }}
      </Loaded>
    </Section>
  )
}

interface TicksProps {
  line: LineId
  devices: readonly TickedDevice[]
  ringing: ReadonlySet<string>
  mayChange: boolean
}

const Ticks = ({ line, devices, ringing, mayChange }: TicksProps) => {
  const { saved } = useText(accountText)
  const toast = useToast()
  const done = { refreshes: ['listPhonelineDevices', 'listUserDevices', 'getDevice'], onDone: () => toast.done(saved) } as const
  const add = useWrite('addPhonelineDevice', done)
  const remove = useWrite('removePhonelineDevice', done)
  const failed = { onError: (error: unknown) => toast.failed(error) }
  const change = (deviceId: string, rings: boolean): void =>
    rings ? add.mutate([{ ...line }, { deviceId }], failed) : remove.mutate([{ ...line, deviceId }], failed)
  if (devices.length === 0) return <NoDevices userId={line.userId} />
  return <DeviceTicks devices={devices} ticked={ringing} disabled={!mayChange || add.isPending || remove.isPending} onTick={change} />
}

const NoDevices = ({ userId }: { userId: string }) => {
  const say = useText(text)
  const link = (
    <Button component={Link} href={`/devices?user=${userId}`} variant="light">
      {say.toDevices}
    </Button>
  )
  return (
    <EmptyState icon="device" title={say.noDevices} action={link}>
      {say.noDevicesHint}
    </EmptyState>
  )
}

import { Button, Group, SimpleGrid, Stack, Text, Progress, TextInput, Alert, Select } from '@mantine/core'
import { Link } from 'wouter'
import { useRead, useWrite } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import type { Device, MobileDevice } from '../devices/devices-page.tsx'
import { useWhose } from '#lazy-parts/people.ts'
import { UserPicker } from '#lazy-parts/user-picker.tsx'
import { text } from './text.ts'
import { CopyField } from '#parts/dialog/copy-field.tsx'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { EarlierOrders, OpenOrder, isOpen, type SimOrder } from './sim-orders.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { onOneLine } from '../addresses/addresses-page.tsx'

const isMobile = (device: Device) => device.type === 'MOBILE'

export const SimsPage = () => {
  const say = useText(text)
  const whose = useWhose()
  const { userId = '' } = whose
  const devices = useRead('listUserDevices', { userId }, { when: userId !== '', every: 10_000 })
  return (
    <Page title={say.title} description={say.lead} actions={<UserPicker whose={whose} />}>
      <Loaded query={devices}>
        {({ items }) =>
          items.some(isMobile) ? (
            items.filter(isMobile).map((device) => <MobileSection key={device.id} userId={userId} device={device} />)
          ) : (
            <NoMobile />
          )
        }
      </Loaded>
    </Page>
  )
}

const NoMobile = () => {
  const say = useText(text)
  const toDevices = (
    <Button component={Link} href="/devices">
      {say.toDevices}
    </Button>
  )
  return (
    <Section flush>
      <EmptyState icon="sim" title={say.empty} action={toDevices}>
        {say.emptyBody}
      </EmptyState>
    </Section>
  )
}

const tones: Readonly<Record<MobileDevice['simState'], Tone>> = { ACTIVE: 'good', PENDING: 'busy', INACTIVE: 'quiet' }

/** A mobile phone with its card, its open order, and its remaining packages. */
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

/** Reading the PUKs is recorded in the audit log. */
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

/** Remaining volume of a device's packages; empty if none is booked. */
export const Contingents = ({ userId, deviceId }: { userId: string; deviceId: string }) => {
  const say = useText(text)
  const format = useFormat()
  const contingents = useRead('getDeviceContingents', { userId, deviceId }).data?.contingents ?? []
  if (contingents.length === 0) return null
  return (
    <Stack gap="sm">
      <Text size="sm" fw={600} component="h3">
        {say.contingents}
      </Text>
      {contingents.map(({ type, amount, left, unit, expires }) => (
        <div key={`${type} ${expires}`}>
          <Group justify="space-between" gap="xs">
            <Text size="sm">{type}</Text>
            <Text size="sm" c="dimmed">
              {say.left(format.number(left), format.number(amount), unit)}, {say.until} {format.day(expires)}
            </Text>
          </Group>
          <Progress value={amount === 0 ? 0 : (left / amount) * 100} aria-label={type} mt={4} />
        </div>
      ))}
    </Stack>
  )
}

interface SimActionsProps {
  userId: string
  device: MobileDevice
  order: SimOrder | undefined
}

export const SimActions = ({ userId, device, order }: SimActionsProps) => {
  const say = useText(text)
  const may = useMay()
  const [open, setOpen] = useState<'order' | 'assign'>()
  const close = (): void => setOpen(undefined)
  const remove = useRemoveSim(userId, device)
  const arrived = order?.state === 'SHIPPED' || order?.state === 'DELIVERED'
  return (
    <>
      {may('CAN_CHANGE_SIM') && (
        <Button size="sm" variant={arrived ? 'filled' : 'default'} onClick={() => setOpen('assign')}>
          {say.assign}
        </Button>
      )}
      {may('CAN_ORDER_SIM') && !order && (
        <Button size="sm" variant={device.simState === 'INACTIVE' ? 'filled' : 'default'} onClick={() => setOpen('order')}>
          {say.order}
        </Button>
      )}
      {may('CAN_CHANGE_SIM') && device.credentials && (
        <Button size="sm" variant="default" onClick={() => void remove()}>
          {say.remove}
        </Button>
      )}
      {open === 'order' && <OrderSim userId={userId} device={device} onClose={close} />}
      {open === 'assign' && <AssignSim userId={userId} device={device} sent={arrived ? order.simId : undefined} onClose={close} />}
    </>
  )
}

const useRemoveSim = (userId: string, { id: deviceId, alias }: MobileDevice) => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const remove = useWrite('removeSim', { refreshes: ['listUserDevices', 'getDevice'], onDone: () => toast.done(say.removed) })
  return async (): Promise<void> => {
    if (await confirm({ title: say.removeTitle(alias), body: say.removeBody, confirm: say.removeConfirm }))
      remove.mutate([{ userId, deviceId }], { onError: toast.failed })
  }
}

interface AssignSimProps {
  userId: string
  device: MobileDevice
  /** The card sent for this device. */
  sent: string | undefined
  onClose: () => void
}

/** Activates a delivered card. */
export const AssignSim = ({ userId, device, sent = '', onClose }: AssignSimProps) => {
  const say = useText(text)
  const toast = useToast()
  const assign = useWrite('assignSim', {
    refreshes: ['listSimOrders', 'listUserDevices', 'getDevice'],
    onDone: () => {
      toast.done(say.assigned)
      onClose()
    },
  })
  const form = useForm({ simId: sent }, assign.error)
  const simId = form.values.simId.replaceAll(/\s/g, '')
  return (
    <FormModal
      opened
      title={say.assignFor(device.alias)}
      submit={say.assign}
      onClose={onClose}
      onSubmit={() => assign.mutate([{ userId, deviceId: device.id }, { simId }])}
      disabled={simId === ''}
      pending={assign.isPending}
      error={assign.error}
    >
      <TextInput
        label={say.simId}
        description={say.assignHint}
        inputMode="numeric"
        required
        maxLength={30}
        data-autofocus
        {...form.text('simId')}
      />
    </FormModal>
  )
}

/** Orders a card for a device, to an address of the account. */
export const OrderSim = ({ userId, device, onClose }: { userId: string; device: MobileDevice; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const addresses = useRead('listAddresses').data?.items
  const order = useWrite('orderSim', {
    refreshes: ['listSimOrders', 'listUserDevices', 'getBalance'],
    onDone: () => {
      toast.done(say.ordered)
      onClose()
    },
  })
  const form = useForm({ addressId: null as string | null }, order.error)
  const addressId = form.values.addressId ?? addresses?.[0]?.id ?? ''
  return (
    <FormModal
      opened
      title={say.orderFor(device.alias)}
      submit={say.order}
      onClose={onClose}
      onSubmit={() => order.mutate([{ userId, deviceId: device.id }, { addressId }])}
      disabled={addressId === ''}
      pending={order.isPending}
      error={order.error}
    >
      {addresses?.length === 0 && (
        <Alert color="yellow" icon={<Icon name="alert" />}>
          {say.noAddress}
        </Alert>
      )}
      <Select
        label={say.address}
        description={say.addressHint}
        required
        allowDeselect={false}
        data={(addresses ?? []).map((address) => ({ value: address.id, label: onOneLine(address) }))}
        {...form.value('addressId')}
        value={addressId === '' ? null : addressId}
      />
    </FormModal>
  )
}

import { Alert, Select } from '@mantine/core'
import { useRead, useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

/** A card of the stock for an order. */
export const PickCard = ({ orderId, onClose }: { orderId: string; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const stock = useRead('listSimCards', { state: 'STOCK' })
  const pick = useWrite('moveSimOrder', {
    refreshes: ['listAllSimOrders', 'listSimCards'],
    onDone: () => {
      toast.done(say.moved)
      onClose()
    },
  })
  const form = useForm({ iccid: null as string | null }, pick.error)
  const { iccid } = form.values
  const submit = (): void => pick.mutate([{ orderId }, { event: 'pick', ...(iccid !== null && { iccid }) }])
  const cards = (stock.data?.items ?? []).map((card) => card.iccid)
  return (
    <FormModal
      opened
      title={say.pickTitle}
      onClose={onClose}
      onSubmit={submit}
      submit={say.moves.pick}
      pending={pick.isPending}
      error={pick.error}
    >
      {stock.data && cards.length === 0 && <Alert color="yellow">{say.noStock}</Alert>}
      <Select label={say.iccid} searchable required data={cards} {...form.value('iccid')} />
    </FormModal>
  )
}

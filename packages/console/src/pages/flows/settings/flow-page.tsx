import { Alert, Button } from '@mantine/core'
import { useLocation } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useWrite } from '#api/use-service.ts'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useProblemFocus } from '#parts/form/use-problem-focus.ts'
import { useText } from '#words/use-text.tsx'
import { FlowFrame } from '../parts/flow-frame.tsx'
import type { Flow } from '../parts/flow-state.tsx'
import { text as listText } from '../parts/text.ts'
import { useRemoveFlow } from '../parts/use-flow-actions.ts'
import { CallSection, TransferSection, TroubleSection } from './call-sections.tsx'
import { EndpointSection } from './endpoint-section.tsx'
import { EventSection } from './event-section.tsx'
import { EventsOffer } from './events-offer.tsx'
import { formOf, mayChooseEvents, withUsualEvents, wishOf } from './flow-form.ts'
import { FlowNumbers } from './flow-numbers.tsx'
import { GeneralSection } from './general-section.tsx'
import { SaveBar } from './save-bar.tsx'
import { SpeechSection } from './speech-section.tsx'
import classes from './settings.module.css'
import { text } from './text.ts'
import { PatienceSection, TurnSection } from './turn-sections.tsx'

/** Everything that can be set for one flow. */
export const FlowPage = () => <FlowFrame tab="">{(flow) => <FlowSettings key={flow.id} flow={flow} />}</FlowFrame>

const FlowSettings = ({ flow }: { flow: Flow }) => {
  const say = useText(text)
  const toast = useToast()
  const may = useMay()('CAN_CHANGE_FLOWS')
  const change = useWrite('changeFlow', { refreshes: ['getFlow', 'listFlows'], onDone: () => toast.done(say.saved) })
  const form = useForm(formOf(flow), change.error)
  const ref = useProblemFocus(change.error)
  const save = (values = form.values): void =>
    change.mutate([{ aiFlowId: flow.id }, wishOf(values)], {
      onSuccess: () => form.reset({ ...values, apiKey: '', removeApiKey: false }),
    })
  /** With nothing else to be saved it is saved at once; else it goes with the rest, which nobody has said is finished. */
  const takeEvents = (): void => {
    const extended_events = withUsualEvents(form.values.extended_events)
    if (form.changed) form.set('extended_events', extended_events)
    else save({ ...form.values, extended_events })
  }
  return (
    <>
      {may ? <EventsOffer flow={flow} onTake={takeEvents} /> : <Alert color="gray">{say.readOnly}</Alert>}
      <form
        ref={ref}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <fieldset disabled={!may} className={classes.stack}>
          <GeneralSection form={form} />
          <EndpointSection form={form} flow={flow} />
          <SpeechSection form={form} flow={flow} />
          <TurnSection form={form} />
          <PatienceSection form={form} />
          <TroubleSection form={form} />
          <TransferSection form={form} />
          {mayChooseEvents(form.values) && <EventSection form={form} />}
          <CallSection form={form} />
        </fieldset>
        <SaveBar form={form} pending={change.isPending} error={change.error} onDiscard={() => form.reset(formOf(flow))} />
      </form>
      <FlowNumbers flow={flow} />
      <RemoveSection flow={flow} />
    </>
  )
}

const RemoveSection = ({ flow }: { flow: Flow }) => {
  const say = useText(text)
  const { remove: label } = useText(listText)
  const [, go] = useLocation()
  const remove = useRemoveFlow(() => go('/flows'))
  if (!remove) return null
  return (
    <Section title={say.danger} description={say.dangerHint}>
      <Button color="red" variant="light" onClick={() => void remove(flow)}>
        {label}
      </Button>
    </Section>
  )
}

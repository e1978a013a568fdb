import { Alert, Button, MantineThemeProvider } from '@mantine/core'
import { useLocation } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useLeaveGuard } from '#parts/leave/leave-guard.ts'
import { RoutingOf } from '#lazy-parts/routing/routing-section.tsx'
import { text as routingText } from '#lazy-parts/routing/text.ts'
import { useText } from '#words/use-text.tsx'
import { FlowFrame } from '../parts/flow-frame.tsx'
import { isAssistant, type Flow } from '../parts/flow-state.tsx'
import { text as listText } from '../parts/text.ts'
import { useRemoveFlow } from '../parts/use-flow-actions.ts'
import { EventsOffer } from './events-offer.tsx'
import { mayChooseEvents, withUsualEvents } from './flow-form.ts'
import { FlowNumbers } from './flow-numbers.tsx'
import { Folded } from './folded.tsx'
import { groupNames } from './groups.ts'
import { HistorySection } from './history-section.tsx'
import { SectionLinks } from './section-links.tsx'
import { SettingsForm } from './settings-form.tsx'
import classes from './settings.module.css'
import { text } from './text.ts'
import { useFlowForm } from './use-flow-form.ts'
import { useOpenParts, type OpenParts } from './use-open-parts.ts'

/** Everything that can be set for one flow. */
export const FlowPage = () => <FlowFrame tab="">{(flow) => <FlowSettings key={flow.id} flow={flow} />}</FlowFrame>

/** Hints below the fields, so that what can be typed into stands at one height. */
const hintsBelow = {
  components: { InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } } },
}

const lacksEndpoint = (flow: Flow): boolean => !isAssistant(flow) && flow.webhookUrl === undefined && flow.websocketUrl === undefined

const FlowSettings = ({ flow }: { flow: Flow }) => {
  const say = useText(text)
  const routing = useText(routingText)
  const may = useMay()('CAN_CHANGE_FLOWS')
  const editing = useFlowForm(flow)
  const { form, save } = editing
  const deps = useOpenParts({ endpoint: lacksEndpoint(flow) })
  useLeaveGuard(form.changed)
  const groups = groupNames.filter((group) => group !== 'events' || mayChooseEvents(form.values))
  /** With nothing else to be saved it is saved at once; else it goes with the rest, which nobody has said is finished. */
  const takeEvents = (): void => {
    const extended_events = withUsualEvents(form.values.extended_events)
    if (form.changed) form.set('extended_events', extended_events)
    else save({ ...form.values, extended_events })
  }
  const sections = [
    { id: 'basics', title: say.general },
    ...groups.map((id) => ({ id, title: say[id] })),
    { id: 'numbers', title: say.numbers },
    { id: 'hours', title: routing.title },
    ...(may ? [{ id: 'history', title: say.history }] : []),
  ]
  return (
    <>
      {may ? <EventsOffer flow={flow} onTake={takeEvents} /> : <Alert color="gray">{say.readOnly}</Alert>}
      <MantineThemeProvider theme={hintsBelow} inherit>
        <div className={classes.deps}>
          <SectionLinks sections={sections} onGo={deps.go} />
          <div className={classes.stack}>
            <SettingsForm flow={flow} may={may} editing={editing} groups={groups} deps={deps} />
            <div id="numbers">
              <FlowNumbers flow={flow} />
            </div>
            <HoursPart flow={flow} deps={deps} may={may} />
            {may && <HistoryPart flow={flow} deps={deps} />}
            <RemovePart flow={flow} deps={deps} />
          </div>
        </div>
      </MantineThemeProvider>
    </>
  )
}

interface PartProps {
  flow: Flow
  deps: OpenParts
}

const HoursPart = ({ flow, deps: { isOpen, toggle }, may }: PartProps & { may: boolean }) => {
  const say = useText(routingText)
  const open = isOpen('hours')
  return (
    <Folded id="hours" title={say.title} summary={say.hint} open={open} onToggle={(wanted) => toggle('hours', wanted)}>
      {open && <RoutingOf target={flow.id} ofFlow mayChange={may} />}
    </Folded>
  )
}

const HistoryPart = ({ flow, deps: { isOpen, toggle } }: PartProps) => {
  const say = useText(text)
  const open = isOpen('history')
  return (
    <Folded id="history" title={say.history} summary={say.historyHint} open={open} onToggle={(wanted) => toggle('history', wanted)}>
      {open && <HistorySection flow={flow} />}
    </Folded>
  )
}

const RemovePart = ({ flow, deps: { isOpen, toggle } }: PartProps) => {
  const say = useText(text)
  const { remove: label } = useText(listText)
  const [, go] = useLocation()
  const remove = useRemoveFlow(() => go('/flows'))
  if (!remove) return null
  return (
    <Folded id="remove" title={say.danger} summary={say.dangerHint} open={isOpen('remove')} onToggle={(wanted) => toggle('remove', wanted)}>
      <Button color="red" variant="light" onClick={() => void remove(flow)}>
        {label}
      </Button>
    </Folded>
  )
}

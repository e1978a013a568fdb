import type { ReactNode } from 'react'
import { useProblemFocus } from '#parts/form/use-problem-focus.ts'
import { useText } from '#words/use-text.tsx'
import type { Flow } from '../parts/flow-state.tsx'
import { BasicsSection } from './basics-section.tsx'
import { CallSection, TransferSection, TroubleSection } from './call-sections.tsx'
import { Conflict } from './conflict.tsx'
import { EndpointSection } from './endpoint-section.tsx'
import { EventSection } from './event-section.tsx'
import { formOf } from './flow-form.ts'
import { Folded } from './folded.tsx'
import { changedIn, differences, hasProblem, type GroupName } from './groups.ts'
import { SaveBar } from './save-bar.tsx'
import { SpeechSection } from './speech-section.tsx'
import classes from './settings.module.css'
import { text } from './text.ts'
import { PatienceSection, TurnSection } from './turn-sections.tsx'
import type { useFlowForm } from './use-flow-form.ts'
import type { OpenParts } from './use-open-parts.ts'

export interface SettingsFormProps {
  flow: Flow
  may: boolean
  editing: ReturnType<typeof useFlowForm>
  groups: readonly GroupName[]
  deps: OpenParts
}

/** What everybody sets, and folded below it the rest. */
export const SettingsForm = ({ flow, may, editing, groups, deps }: SettingsFormProps) => {
  const say = useText(text)
  const { form, change, seen, save, isConflict, follow } = editing
  const ref = useProblemFocus(change.error)
  const contents: Record<GroupName, ReactNode> = {
    endpoint: <EndpointSection form={form} flow={flow} />,
    speech: <SpeechSection form={form} flow={flow} />,
    turns: <TurnSection form={form} />,
    patience: <PatienceSection form={form} flow={flow} />,
    trouble: <TroubleSection form={form} flow={flow} />,
    transfers: <TransferSection form={form} />,
    events: <EventSection form={form} />,
    calls: <CallSection form={form} />,
  }
  return (
    <form
      ref={ref}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <fieldset disabled={!may} className={classes.stack}>
        <div id="basics">
          <BasicsSection form={form} flow={flow} />
        </div>
        {groups.map((id) => (
          <Folded
            key={id}
            id={id}
            title={say[id]}
            summary={changedIn(id, form.values, say).join(' · ') || say.allDefault}
            open={deps.isOpen(id) || hasProblem(id, change.error)}
            onToggle={(open) => deps.toggle(id, open)}
          >
            {contents[id]}
          </Folded>
        ))}
      </fieldset>
      {isConflict && flow.version !== seen.version && (
        <Conflict changed={differences(formOf(seen), formOf(flow), say)} onKeepMine={() => save(form.values, flow)} onTakeTheirs={follow} />
      )}
      <SaveBar form={form} pending={change.isPending} error={isConflict ? null : change.error} onDiscard={follow} />
    </form>
  )
}

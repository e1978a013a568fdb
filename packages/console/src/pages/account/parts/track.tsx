import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import classes from './track.module.css'

export type StepState = 'done' | 'now' | 'ahead' | 'bad'

export interface TrackStep {
  key: string
  label: string
  state: StepState
  /** Below the label, such as a date. */
  note?: string | undefined
}

/** Progress: steps in order, in one row if there is room. `label` names the process. */
export const Track = ({ label, steps }: { label: string; steps: readonly TrackStep[] }) => {
  const { stepStates } = useText(text)
  return (
    <div className={classes.frame}>
      <ol className={classes.track} aria-label={label}>
        {steps.map(({ key, label: words, state, note }) => (
          <li key={key} className={classes.step} data-state={state} aria-current={state === 'now' || state === 'bad' ? 'step' : undefined}>
            <span className={classes.mark}>
              {state === 'done' && <Icon name="check" size={13} />}
              {state === 'bad' && <Icon name="x" size={13} />}
            </span>
            <span className={classes.words}>
              {words}
              <span className="visually-hidden"> ({stepStates[state]})</span>
              {note !== undefined && <span className={classes.note}>{note}</span>}
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}

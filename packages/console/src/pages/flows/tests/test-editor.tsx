import { Alert, List, Switch, Textarea } from '@mantine/core'
import { useState } from 'react'
import { ApiError, api } from '#api/client.ts'
import { useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldWords } from '#parts/form/field-words.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useGuardedClose } from '#parts/leave/leave-guard.ts'
import { useLanguage, useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { type StoredTest, scenarioOf } from './kept-test.ts'
import { type LineProblem, yamlOf, ScenarioYaml } from './scenario-yaml.ts'

export interface TestEditorProps {
  flowId: string
  /** Undefined: a new one. */
  test: StoredTest | undefined
  /** All tests: names are unique. */
  others: readonly StoredTest[]
  onClose: () => void
}

/** One test as file text. Problems are shown with their line. */
export const TestEditor = ({ flowId, test, others, onClose }: TestEditorProps) => {
  const say = useText(text)
  const toast = useToast()
  const [began] = useState(() => (test ? yamlOf(scenarioOf(test)) : say.template))
  const [typed, setTyped] = useState(began)
  const [required, setRequired] = useState(test?.required ?? false)
  const [found, setFound] = useState<readonly LineProblem[]>([])
  const { keep, error, isPending, isSaved } = useKeep(flowId, test, () => {
    toast.done(say.saved)
    onClose()
  })
  const close = useGuardedClose(typed !== began && !isSaved, onClose)
  const save = (): void => {
    const yaml = new ScenarioYaml(typed)
    const { scenario, problems } = yaml
    const isTaken = scenario && scenario.name !== test?.name && others.some(({ name }) => name === scenario.name)
    if (scenario && problems.length === 0 && !isTaken) {
      setFound([])
      keep({ ...scenario, required })
    } else setFound(problems.length > 0 ? problems : [{ line: yaml.lineOf('name') || 1, problem: scenario ? say.taken : say.noName }])
  }
  return (
    <FormModal
      opened
      size="xl"
      title={test ? say.editTitle(test.name) : say.newTitle}
      onClose={close}
      onSubmit={save}
      pending={isPending}
      error={hasLines(error) ? undefined : error}
    >
      <Textarea
        label={say.scenario}
        description={say.scenarioHint}
        autosize
        minRows={10}
        maxRows={24}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Problems problems={found.length > 0 ? found : problemsOf(error, typed)} />
      <Switch
        label={say.require}
        description={say.requireHint}
        checked={required}
        onChange={({ currentTarget }) => setRequired(currentTarget.checked)}
      />
    </FormModal>
  )
}

/** A renamed test replaces the one with the old name. */
const useKeep = (flowId: string, before: StoredTest | undefined, onDone: () => void) => {
  const write = useWrite('setScenario', {
    refreshes: ['listScenarios'],
    onDone,
  })
  const forget = useWrite('deleteScenario', { refreshes: ['listScenarios'] })
  return {
    keep: (scenario: Parameters<typeof api.setScenario>[1]): void =>
      write.mutate([{ aiFlowId: flowId, name: scenario.name }, scenario], {
        onSuccess: () => {
          if (before && before.name !== scenario.name) forget.mutate([{ aiFlowId: flowId, name: before.name }])
        },
      }),
    error: write.error,
    isPending: write.isPending,
    isSaved: write.isSuccess,
  }
}

const hasLines = (error: unknown): error is ApiError => error instanceof ApiError && (error.body.details?.length ?? 0) > 0

const problemsOf = (error: unknown, typed: string): LineProblem[] => {
  if (!hasLines(error)) return []
  const yaml = new ScenarioYaml(typed)
  return (error.body.details ?? []).map(({ field, problem }) => ({ line: yaml.lineOf(field), field, problem }))
}

const Problems = ({ problems }: { problems: readonly LineProblem[] }) => {
  const say = useText(text)
  const { language } = useLanguage()
  if (problems.length === 0) return null
  return (
    <Alert color="red" role="alert" title={say.problems}>
      <List size="sm">
        {problems.map(({ line, field, problem }, index) => (
          <List.Item key={index}>
            {line > 0 && <strong>{say.line(line)}: </strong>}
            {field !== undefined && <code>{field} </code>}
            {field === undefined ? problem : fieldWords(problem, language)}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

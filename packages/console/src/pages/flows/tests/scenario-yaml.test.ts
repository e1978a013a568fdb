import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ScenarioYaml, yamlOf } from './scenario-yaml.ts'

const typed = `name: hours
steps:
  - say: When are you open?
  - expect:
      said: nine
      within_ms: soon
`

test('round-trips scenarios', () => {
  const { scenario, problems } = new ScenarioYaml(typed)
  assert.ok(scenario)
  assert.deepEqual(problems, [])
  assert.deepEqual(new ScenarioYaml(yamlOf(scenario)).scenario, scenario)
  assert.deepEqual(new ScenarioYaml(JSON.stringify(scenario)).scenario, scenario, 'JSON is as good')
})

test('gives every error of the service a line, also for missing fields', () => {
  const yaml = new ScenarioYaml(typed)
  assert.equal(yaml.lineOf('steps/1/expect/within_ms'), 6)
  assert.equal(yaml.lineOf('steps/0/into_ms'), 3, 'where it should stand')
  assert.equal(yaml.lineOf('language'), 0)
})

test('reports the position of a syntax error', () => {
  const [first] = new ScenarioYaml('name: hours\nsteps:\n  - say: "open\n').problems
  assert.equal(first?.line, 4)
  assert.equal(new ScenarioYaml('name: one\nname: two').problems[0]?.line, 2)
})

test('has no scenario without a name', () => {
  for (const one of ['', '- say: hello', 'steps: []', 'name: " "', 'name: 3']) assert.equal(new ScenarioYaml(one).scenario, undefined, one)
})

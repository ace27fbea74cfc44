import { expect, it } from "vitest";
import { LinkedList, ListMember } from "../../../base/collections/linked-list.ts";

class Member extends ListMember {
  readonly name: number;

  constructor(name: number) {
    super();
    this.name = name;
  }
}

const namesOf = (list: LinkedList<Member>): number[] => [...list].map(({ name }) => name);

it("keeps the order of a set through random additions and deletions", () => {
  const list = new LinkedList<Member>();
  const set = new Set<Member>();
  const members = Array.from({ length: 8 }, (_, name) => new Member(name));
  let seed = 1;
  for (let step = 0; step < 5_000; step++) {
    seed = (seed * 48_271) % 2_147_483_647;
    const member = members[seed % members.length] as Member;
    if (set.has(member) || seed % 3 === 0) {
      list.delete(member);
      set.delete(member);
    } else {
      list.add(member);
      set.add(member);
    }
    expect(namesOf(list)).toEqual([...set].map(({ name }) => name));
    expect(list.first).toBe([...set][0]);
  }
});

it("refers to no member after it is deleted, and no member to others", () => {
  const list = new LinkedList<Member>();
  const members = [0, 1, 2].map((name) => new Member(name));
  for (const member of members) list.add(member);
  for (const member of members) list.delete(member);
  expect(list.first).toBeUndefined();
  for (const { previous, next } of members) expect([previous, next]).toEqual([undefined, undefined]);
});

it("goes on after a member is deleted while it is visited", () => {
  const list = new LinkedList<Member>();
  for (const name of [0, 1, 2, 3]) list.add(new Member(name));
  const seen: number[] = [];
  for (const member of list) {
    seen.push(member.name);
    if (member.name % 2 === 0) list.delete(member);
  }
  expect(seen).toEqual([0, 1, 2, 3]);
  expect(namesOf(list)).toEqual([1, 3]);
});

/** A member of a `LinkedList`, of one at a time. */
export abstract class ListMember {
  /** @internal Set by the list. */
  previous: ListMember | undefined = undefined;
  /** @internal Set by the list. */
  next: ListMember | undefined = undefined;
}

/**
 * The members in the order in which they were added, for members that come and go with each call. V8's `Set` and `Map`
 * replace their table from time to time, and each old table keeps the members it had, and the next table, alive until
 * the next collection of the whole heap: all calls with all they refer to.
 */
export class LinkedList<Member extends ListMember> {
  #first: ListMember | undefined;
  #last: ListMember | undefined;

  /** Adds a member of no list at the end. */
  add(member: Member): void {
    member.previous = this.#last;
    if (this.#last === undefined) this.#first = member;
    else this.#last.next = member;
    this.#last = member;
  }

  /** Removes a member of this list; has no effect on a member of none. */
  delete(member: Member): void {
    const { previous, next } = member;
    if (previous === undefined && this.#first !== member) return;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    member.previous = undefined;
    member.next = undefined;
  }

  get first(): Member | undefined {
    return this.#first as Member | undefined;
  }

  /** The member that it returned last may be deleted meanwhile, but no other. */
  *[Symbol.iterator](): Generator<Member, void> {
    let member = this.#first;
    while (member !== undefined) {
      const { next } = member;
      yield member as Member;
      member = next;
    }
  }
}

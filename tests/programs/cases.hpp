// Cases of one program: CASE(name) { ... } is run where the program's argument is its name.
#pragma once
#include <map>
#include <string>

struct Case
{
    static std::map<std::string, void (*)()>& all()
    {
        static std::map<std::string, void (*)()> cases;
        return cases;
    }
    Case(const char* name, void (*run)()) { all()[name] = run; }
};

#define CASE(name)                                                                                                     \
    void name();                                                                                                       \
    const Case case_##name(#name, name);                                                                               \
    void name()

int main(int, char** argv) { Case::all().at(argv[1])(); }
